import Accounts
import GRDB
import Geodesy
import Positioning
import RPC
import Service

extension VoteEntry: Answerable {
    /// The status of a vote.
    enum Status: String, CaseIterable, Sendable {
        case open = "In progress"
        /// A name conflict awaits the initiator's decision.
        ///
        /// Only the initiator sees this status.
        case wrong = "Something is wrong"
        case ended = "Finished"
    }

    /// The state of a person's own ballot.
    enum OwnState: String, CaseIterable, Sendable {
        case open, counted
        case removed = "not counted"

        init(_ state: Ballot.State) {
            switch state {
            case .open: self = .open
            case .counted: self = .counted
            case .removed: self = .removed
            }
        }
    }

    var status: Status {
        guard vote.ended == nil else { return .ended }
        return isOwn && vote.hasConflict ? .wrong : .open
    }

    /// The progress of the vote in percent.
    private var progress: Int {
        vote.ended != nil ? 100 : min(100, vote.voted * 100 / vote.participants)
    }

    static let shape = Shape<VoteEntry>.object(members)

    static let members: [Member<VoteEntry>] = [
        Member("id", .text, "Its seven digits.") { $0.vote.id },
        Member("subject", .text, "What is voted on.") { $0.vote.subject },
        Member("colour", .choice, "What it is told from others by.") { $0.vote.colour },
        Member("opened", .time, "When it was opened.") { $0.vote.opened },
        Member("limit", .choice, "How long it is open at most.") { $0.vote.limit },
        Member("ends", .time, "When its limit is reached.") { $0.vote.ends },
        .optional("ended", .time, "When it ended; left out while it is open.") { $0.vote.ended },
        Member("status", .choice, "How it stands; only its initiator sees that something is wrong.") { $0.status },
        Member("voted", .integer, "How many ballots are counted so far.") { $0.vote.voted },
        Member("participants", .integer, "How many people it is for.") { $0.vote.participants },
        Member("progress", .integer, "How far it is, in percent; 100 once it has ended.") { $0.progress },
        .flag("yours", "Whether you have opened it.") { $0.isOwn },
        .optional("ballot", .choice, "What has become of your ballot; left out before the passcode.") {
            $0.ballot.map(OwnState.init)
        },
    ]
}

/// A whole vote, as admitted people see it.
struct VoteDetails: Answerable, Sendable {
    /// An option, with its result once the vote has ended.
    struct Option: Answerable, Sendable {
        var number: Int
        var text: String
        var count: Int?
        var percentage: Double?

        static let shape = Shape<Option>.object {
            Member("number", .integer, "By which it is chosen.") { $0.number }
            Member("text", .text, "What it is.") { $0.text }
            Member.optional("count", .integer, "How many have chosen it; left out before the end.") { $0.count }
            Member.optional(
                "percent", .number(decimals: 1), "Its share of the ballots counted; left out before the end."
            ) { $0.percentage }
        }
    }

    var entry: VoteEntry
    var options: [Option]
    var initiator: PersonRow?
    var winners: [Int]?
    var names: [String]?

    init(_ vote: Vote, for person: Int64, in db: Database) throws {
        entry = try VoteEntry(vote, for: person, in: db)
        let result = try VoteResult.of(vote, in: db)
        options = try vote.options(in: db).enumerated().map { index, text in
            Option(
                number: index + 1, text: text, count: result?.counts[index],
                percentage: result?.percentage(of: index + 1))
        }
        let viewer = Viewer(person: try People.find(number: person, in: db)?.id)
        initiator = try vote.initiator.map { try People.row(of: $0, for: viewer, in: db) }
        winners = result?.winners
        names = try result == nil ? nil : vote.names(in: db)
    }

    static let shape = Shape<VoteDetails>.object {
        VoteEntry.members.of { $0.entry }
        Member("options", .array(of: Option.shape), "What there is to choose.") { $0.options }
        Member.optional("initiator", PersonRow.shape, "Who has opened it; left out where the account is gone.") {
            $0.initiator
        }
        Member.optional(
            "lat", .number(.latitude, decimals: 7), "Degrees north of where you opened it; left out of others' votes."
        ) { $0.entry.isOwn ? $0.entry.vote.place.latitude : nil }
        Member.optional(
            "lon", .number(.longitude, decimals: 7), "Degrees east of where you opened it; left out of others' votes."
        ) { $0.entry.isOwn ? $0.entry.vote.place.longitude : nil }
        Member.optional(
            "wrong_passcodes", .integer, "How often a wrong passcode was given; left out of others' votes."
        ) { $0.entry.isOwn ? $0.entry.vote.tries : nil }
        Member.optional(
            "winners", .array(of: .integer),
            "The numbers of the options that most have chosen; none where nobody voted, left out before the end."
        ) { $0.winners }
        Member.optional("tie", .boolean, "Whether several have won; left out before the end.") {
            $0.winners.map { $0.count > 1 }
        }
        Member.optional(
            "names", .array(of: .text),
            """
            The names of those whose ballots are counted, by name, as far as they have their accounts; left out before \
            the end.
            """
        ) { $0.names }
    }
}

/// A person's own ballot, with their choice.
struct OwnBallot: Answerable, Sendable {
    var vote: String
    var state: VoteEntry.OwnState
    var option: Int?
    var text: String?

    /// Reads the ballot of a person.
    ///
    /// - Throws: ``Refusal/notAllowed(_:)`` if the person has not been admitted.
    init(_ person: Int64, in vote: Vote, db: Database) throws {
        self.vote = vote.id
        guard let ballot = try Ballot.find(person, in: vote, in: db) else {
            guard vote.initiator == person else { throw Refusal.shut(vote) }
            state = .open
            return
        }
        state = VoteEntry.OwnState(ballot.state)
        option = ballot.option(try vote.seal(in: db))
        let options = try vote.options(in: db)
        text = option.flatMap { options.indices.contains($0 - 1) ? options[$0 - 1] : nil }
    }

    static let shape = Shape<OwnBallot>.object {
        Member("vote", .text, "The vote's id.") { $0.vote }
        Member("ballot", .choice, "What has become of your ballot.") { $0.state }
        Member.optional("option", .integer, "The number of what you have chosen; left out before that.") { $0.option }
        Member.optional("text", .text, "What that is.") { $0.text }
    }
}

/// The name conflicts of a vote, and its status.
struct ConflictList: Answerable, Sendable {
    var vote: Vote
    var conflicts: [Conflict]

    init(_ vote: Vote, in db: Database) throws {
        self.vote = vote
        conflicts = try Conflict.list(of: vote, in: db)
    }

    static let shape = Shape<ConflictList>.object {
        Member("vote", .text, "The vote's id.") { $0.vote.id }
        Member("status", .choice, "How it stands.") { list in
            VoteEntry.Status.of(list.vote)
        }
        Member("voted", .integer, "How many ballots are counted so far.") { $0.vote.voted }
        Member("conflicts", .array(of: Conflict.shape), "The names; none where nothing is wrong.") { $0.conflicts }
    }
}

extension VoteEntry.Status {
    /// Returns the status of a vote as its initiator sees it.
    static func of(_ vote: Vote) -> VoteEntry.Status { vote.ended != nil ? .ended : vote.hasConflict ? .wrong : .open }
}

extension Conflict: Answerable {
    private static let claim = Shape<Claim>.object {
        Member("email", .text, "The address of who has voted under it.") { $0.email }
        Member.flag("removed", "Whether you have removed the ballot.") { $0.isRemoved }
    }

    static let shape = Shape<Conflict>.object {
        Member("name", .text, "The name.") { $0.name }
        Member("ballots", .array(of: claim), "The ballots under it, by address.") { $0.claims }
    }
}
