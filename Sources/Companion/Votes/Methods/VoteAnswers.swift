import GRDB
import Geodesy
import People
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

    static let shape = AnswerShape<VoteEntry>.object(members)

    static let members: [Member<VoteEntry>] = [
        Member("id", .text, "The id, of seven digits.") { $0.vote.id },
        Member("subject", .text, "The subject of the vote.") { $0.vote.subject },
        Member("colour", .choice, "The colour, which distinguishes it from other votes.") { $0.vote.colour },
        Member("opened", .time, "The time at which it was opened.") { $0.vote.opened },
        Member("limit", .choice, "The longest time that it stays open.") { $0.vote.limit },
        Member("ends", .time, "The time at which its limit is reached.") { $0.vote.ends },
        .optional("ended", .time, "The time at which it ended; absent while it is open.") { $0.vote.ended },
        Member("status", .choice, "The status; only the initiator sees that something is wrong.") { $0.status },
        Member("voted", .integer, "The number of ballots counted so far.") { $0.vote.voted },
        Member("participants", .integer, "The number of people that it is for.") { $0.vote.participants },
        Member("progress", .integer, "The progress in percent; 100 once it has ended.") { $0.progress },
        .flag("yours", "Whether you have opened it.") { $0.isOwn },
        .optional("ballot", .choice, "The state of your ballot; absent until you give the passcode.") {
            $0.ballot.map(OwnState.init)
        },
        .optional(
            "plan", .text, "The id of the plan to whose people it belongs; absent if it was opened somewhere."
        ) { $0.vote.plan },
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

        static let shape = AnswerShape<Option>.object {
            Member("number", .integer, "The number by which it is chosen.") { $0.number }
            Member("text", .text, "The text of the option.") { $0.text }
            Member.optional("count", .integer, "The number of counted ballots for it; absent before the end.") {
                $0.count
            }
            Member.optional(
                "percent", .number(decimals: 1), "Its share of the counted ballots, in percent; absent before the end."
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

    static let shape = AnswerShape<VoteDetails>.object {
        VoteEntry.members.of { $0.entry }
        Member("options", .array(of: Option.shape), "The options.") { $0.options }
        Member.optional("initiator", PersonRow.shape, "The person who opened it; absent if the account was removed.") {
            $0.initiator
        }
        Member.optional(
            "lat", .number(.latitude, decimals: 7),
            "The latitude, in degrees north, of the place where you opened it; only in your own votes."
        ) { $0.entry.isOwn ? $0.entry.vote.place?.latitude : nil }
        Member.optional(
            "lon", .number(.longitude, decimals: 7),
            "The longitude, in degrees east, of the place where you opened it; only in your own votes."
        ) { $0.entry.isOwn ? $0.entry.vote.place?.longitude : nil }
        Member.optional(
            "wrong_passcodes", .integer, "The number of wrong passcodes that people gave; only in your own votes."
        ) { $0.entry.isOwn ? $0.entry.vote.tries : nil }
        Member.optional(
            "winners", .array(of: .integer),
            "The numbers of the options with the most ballots; empty if nobody voted, absent before the end."
        ) { $0.winners }
        Member.optional("tie", .boolean, "Whether several options have won; absent before the end.") {
            $0.winners.map { $0.count > 1 }
        }
        Member.optional(
            "names", .array(of: .text),
            """
            The names of the people whose ballots are counted, sorted by name, without removed accounts; absent before \
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
            guard vote.initiator == person || vote.plan != nil else { throw Refusal.notAdmitted(vote) }
            state = .open
            return
        }
        state = VoteEntry.OwnState(ballot.state)
        option = ballot.option(try vote.seal(in: db))
        let options = try vote.options(in: db)
        text = option.flatMap { options.indices.contains($0 - 1) ? options[$0 - 1] : nil }
    }

    static let shape = AnswerShape<OwnBallot>.object {
        Member("vote", .text, "The vote's id.") { $0.vote }
        Member("ballot", .choice, "The state of your ballot.") { $0.state }
        Member.optional("option", .integer, "The number of the option that you have chosen; absent before you choose.")
        { $0.option }
        Member.optional("text", .text, "The text of that option.") { $0.text }
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

    static let shape = AnswerShape<ConflictList>.object {
        Member("vote", .text, "The vote's id.") { $0.vote.id }
        Member("status", .choice, "The status.") { list in
            VoteEntry.Status.of(list.vote)
        }
        Member("voted", .integer, "The number of ballots counted so far.") { $0.vote.voted }
        Member(
            "conflicts", .array(of: Conflict.shape),
            "The names under which several addresses have voted; empty if there are none."
        ) { $0.conflicts }
    }
}

extension VoteEntry.Status {
    /// Returns the status of a vote as its initiator sees it.
    static func of(_ vote: Vote) -> VoteEntry.Status { vote.ended != nil ? .ended : vote.hasConflict ? .wrong : .open }
}

extension Conflict: Answerable {
    private static let claim = AnswerShape<Claim>.object {
        Member("email", .text, "The address of the person who voted under the name.") { $0.email }
        Member.flag("removed", "Whether you have removed the ballot.") { $0.isRemoved }
    }

    static let shape = AnswerShape<Conflict>.object {
        Member("name", .text, "The name.") { $0.name }
        Member("ballots", .array(of: claim), "The ballots under the name, sorted by address.") { $0.claims }
    }
}
