#if Companion
import Callers
import GRDB
import RPC
import Service
import Store

extension PeopleMethods {
    var searching: [Method<Principal>] {
        [
            .stored(
                "people.search", "Finds people by username or name, those whom you follow first, in pages.",
                Self.text,
                .optional(
                    "among", default: Among.everybody,
                    "The people to search: everybody (the default), those whom you follow, or your friends."),
                Self.page(of: "people.search"), answers: Found.shape, errors: [.notAllowed, .invalidValue],
                right: .read, handler: search),
            .stored(
                "people.invitation", "Returns a text that invites somebody to sign up.",
                Parameter<Medium>.required("for", "The medium that the text is for."), answers: Invitation.shape,
                errors: [.unavailable], right: .person, handler: invitation),
            .stored(
                "people.help", "Describes the daemon, and says where to find help.", answers: Help.shape, right: .read
            ) { _ in Help(support: accounts.settings.support) },
        ]
    }

    /// The people to search among.
    private enum Among: String, CaseIterable, Sendable {
        case everybody
        case following
        case friends
    }

    /// The answer to a search.
    private struct Found: Answerable, Sendable {
        var text: String?
        var among: Among
        var people: Page<PersonRow>

        static let shape = AnswerShape<Found>.object {
            Member.optional("text", .text, "The text that was searched for.") { $0.text }
            Member("among", .text, "The people that were searched.") { $0.among.rawValue }
            Page<PersonRow>.members("people", "The people; empty if nobody matches.").of { $0.people }
        }
    }

    @Sendable private func search(
        _ call: Call<Principal>, for text: String?, among: Among, asked: PageRequest<PeopleList.Place>
    ) async throws -> Found {
        try await store.read { db in
            let scope: PeopleList.Scope =
                switch among {
                case .everybody: .everybody
                case .following: .following(try caller(call, in: db).number)
                case .friends: .friends(try caller(call, in: db).number)
                }
            let list = PeopleList(
                scope, text: text, for: try People.number(of: call.viewer, in: db), isFollowedFirst: true)
            return Found(text: text, among: among, people: try list.page(asked, in: db))
        }
    }

    /// The medium that an invitation is sent by.
    private enum Medium: String, CaseIterable, Sendable {
        case sms
        case email
        case link
    }

    /// A text that invites somebody to sign up.
    private struct Invitation: Answerable, Sendable {
        var subject: String?
        var text: String

        static let shape = AnswerShape<Invitation>.object {
            Member.optional("subject", .text, "The subject line, for a mail.") { $0.subject }
            Member("text", .text, "The text; for a link, only the link.") { $0.text }
        }
    }

    @Sendable private func invitation(_ call: Call<Principal>, as medium: Medium) async throws -> Invitation {
        let name = try await store.read { try caller(call, in: $0).name }
        let link = accounts.settings.invitation
        switch medium {
        case .email:
            return Invitation(
                subject: "\(name) invites you to Waymark",
                text: """
                    Hello,

                    I use Waymark to hear of sights on my way, to record my trips, and to share them with friends. \
                    Join me!

                    \(link ?? "Ask me how.")

                    \(name)
                    """)
        case .sms: return Invitation(text: "\(name) invites you to Waymark\(link.map { ": \($0)" } ?? ".")")
        case .link:
            guard let link else {
                throw Refusal.unavailable(
                    "There is no invitation link. The administrator can set one with the setting people.invitation.")
            }
            return Invitation(text: link)
        }
    }

    /// The answer that describes the daemon and says where to find help.
    private struct Help: Answerable, Sendable {
        var support: String?

        static let shape = AnswerShape<Help>.object {
            Member("about", .text, "A description of the daemon.") { _ in
                "Waymark follows where its devices are, notifies people of sights that they come near, records their "
                    + "trips, and stores what they write about both."
            }
            Member.optional("support", .text, "The contact for help; absent if there is none.") { $0.support }
            Member("methods", .text, "The name of the method that describes all methods.") { _ in "rpc.discover" }
        }
    }
}
#endif
