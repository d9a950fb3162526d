package import EventStream
import GRDB
import Positioning
package import RPC
import Service
import Store
import TextCoding

extension PeopleMethods {
    var searching: [Method<Principal>] {
        [
            .stored(
                "people.search", "People by username or name, those whom one follows first, a page at a time.",
                parameters: [
                    Self.text,
                    .optional(
                        "among", .choice(["everybody", "following", "friends"]),
                        "Only those whom one follows, or one's friends; everybody if left out."),
                    Field.limit(upTo: Self.largestPage, usually: 50), Field.after,
                ],
                result: .object([
                    .optional("text", .string, "What was searched for."),
                    .required("among", .string, "Among whom."),
                    .required("people", .array(of: .object(Person.row)), "The people; empty where nobody fits."),
                    Field.next,
                ]),
                errors: [.notAllowed, .invalidValue], right: .read, handler: search),
            .stored(
                "people.invitation", "A text that invites to sign up.",
                parameters: [
                    .required("for", .choice(["sms", "email", "link"]), "What it is to be sent as.")
                ],
                result: .object([
                    .optional("subject", .string, "The subject, of a mail."),
                    .required("text", .string, "The text; of a link, the link alone."),
                ]),
                errors: [.unavailable], right: .person, handler: invitation),
            .stored(
                "people.help", "What this is, and where help is to be found.",
                result: .object([
                    .required("about", .string, "What this is."),
                    .optional("support", .string, "Whom to ask; left out where nobody is named."),
                    .required("methods", .string, "What tells all that can be done."),
                ]),
                right: .read, handler: help),
        ]
    }

    @Sendable private func search(_ call: Call<Principal>) async throws -> JSONText {
        let text = try Self.searched(call)
        let among: String = try call.optional("among") ?? "everybody"
        let limit = try call.limit(usually: 50)
        let after = try Self.place(call)
        let (page, next) = try await store.read { db in
            let viewer = try call.caller.person.flatMap { try People.find($0, in: db) }
            let scope: PeopleList.Scope =
                switch among {
                case "following": .following(try caller(call, in: db).number)
                case "friends": .friends(try caller(call, in: db).number)
                default: .everybody
                }
            return try PeopleList(scope: scope, text: text, first: viewer?.number, after: after)
                .page(limit: limit, for: call.viewer, in: db)
        }
        return .object { json in
            json.member("text", text)
            json.member("among", among)
            page.write("people", to: &json)
            json.member("next", next)
        }
    }

    /// Where the page before ended.
    package static func place(_ call: Call<Principal>) throws -> PeopleList.Place? {
        guard let text: String = try call.optional("after") else { return nil }
        guard let place = PeopleList.Place(text) else {
            throw RPCError.invalid("after", "must be the next of a page before")
        }
        return place
    }

    @Sendable private func invitation(_ call: Call<Principal>) async throws -> JSONText {
        let kind: String = try call.value("for")
        let name = try await store.read { try caller(call, in: $0).name }
        let link = accounts.settings.invitation
        if kind == "link", link == nil {
            throw RPCError.unavailable("Nobody has said what an invitation leads to; people.invitation is the setting.")
        }
        return .object { json in
            switch kind {
            case "email":
                json.member("subject", "\(name) invites you to Waymark")
                json.member(
                    "text",
                    """
                    Hello,

                    I use Waymark to be told of sights on my way, to keep my trips, and to share them with friends. \
                    Join me!

                    \(link ?? "Ask me how.")

                    \(name)
                    """)
            case "sms": json.member("text", "\(name) invites you to Waymark\(link.map { ": \($0)" } ?? ".")")
            default: json.member("text", link)
            }
        }
    }

    @Sendable private func help(_ call: Call<Principal>) async throws -> JSONText {
        .object { json in
            json.member(
                "about",
                "Waymark follows where its devices are, tells people of sights that they come near, writes down their "
                    + "trips, and keeps what they say of both.")
            json.member("support", accounts.settings.support)
            json.member("methods", "rpc.discover")
        }
    }
}
