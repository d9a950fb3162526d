import Callers
import GRDB
import Geodesy
import People
import Positioning
import RPC
import Service
import Store
import Time

/// The RPC methods about votes.
struct VoteMethods: Sendable {
    let context: ServiceContext
    let passwords: Passwords

    /// The largest page size, in votes.
    static let largestPage = 200
    /// The greatest difference, in milliseconds, between the clock and the time of the fix at which a vote is opened.
    static let oldestFix: Int64 = 600_000

    init(_ context: ServiceContext, _ passwords: Passwords) {
        self.context = context
        self.passwords = passwords
    }

    /// All methods about votes.
    var all: [Method<Principal>] { opening + finding + voting + looking + asking }

    private var opening: [Method<Principal>] {
        [
            .stored(
                "votes.open", "Opens a vote where you are: at the latest fix of a device that carries you.",
                VoteOpening.parameter, answers: VoteDetails.shape,
                errors: [.invalidValue, .unavailable], right: .person, handler: open)
        ]
    }

    private var finding: [Method<Principal>] {
        [
            .stored(
                "votes.here", "Lists the open votes within 1,000 m of the latest fix of a device that carries you.",
                .page(of: "votes.here", by: Int64.self, upTo: Self.largestPage, default: 50),
                answers: .page("votes", "The votes, latest first."), errors: [.invalidValue, .unavailable],
                right: .person
            ) { call, asked in
                let place = try await place(of: call).coordinate
                return try await read(call) { reading in
                    let entries = try VoteEntry.here(
                        place, as: reading.person, at: reading.now, after: asked.after, limit: asked.limit + 1,
                        in: reading.db)
                    return Self.page(entries, asked)
                }
            },
            .stored(
                "votes.find", "Returns a vote by its id, from anywhere, without its options.", .vote,
                answers: VoteEntry.shape, errors: [.notFound], right: .person
            ) { call, id in
                try await known(id, call)
                return try await read(call) { reading in
                    try VoteEntry(
                        Vote.get(id, for: reading.person, in: reading.db), for: reading.person, in: reading.db)
                }
            },
            .stored(
                "votes.get",
                """
                Returns a vote with its options, and with its result once it has ended. You need the passcode once; \
                the initiator needs none.
                """, .vote, VoteOpening.givenPasscode, answers: VoteDetails.shape,
                errors: [.notFound, .notAllowed, .invalidValue, .unavailable], right: .person, handler: get),
            .stored(
                "votes.list",
                "Lists your votes, latest first: those that you have opened, or those in which you have voted.",
                Parameter<VoteEntry.Part>.required("part", "The votes to list: initiated or attended."),
                Parameter<String?>.optional(
                    "text", .string(length: 0...Vote.longestText),
                    "Only votes with this text in the subject, regardless of case and accents, or in the id."),
                .page(of: "votes.list", by: Int64.self, upTo: Self.largestPage, default: 50),
                answers: .page("votes", "The votes."), errors: [.invalidValue], right: .person
            ) { call, part, text, asked in
                try await read(call) { reading in
                    let entries = try VoteEntry.history(
                        part, of: reading.person, text: text, after: asked.after, limit: asked.limit + 1,
                        in: reading.db)
                    return Self.page(entries, asked)
                }
            },
        ]
    }

    private static func page(_ entries: [VoteEntry], _ asked: PageRequest<Int64>) -> Page<VoteEntry> {
        var page = asked.page(of: VoteEntry.self)
        for entry in entries {
            guard page.append(entry, at: entry.vote.number) else { break }
        }
        return page
    }

    /// Returns the latest fix of a device that carries the caller.
    ///
    /// A caller cannot state a position.
    ///
    /// - Throws: `Refusal.unavailable` if no device carries the caller, or none of those that do has had a fix.
    func place(of call: Call<Principal>) async throws -> Fix {
        try await DeviceDirectory(store: context.store, liveState: context.liveState).fix(carrying: call.person())
    }

    /// Checks that a vote has the given id.
    ///
    /// Every miss counts against a limit, so that nobody finds a vote by trying ids.
    ///
    /// - Throws: `Refusal.notFound` if no vote has the id of which the caller may know, `Refusal.unavailable` if the
    ///   caller has tried too many ids.
    func known(_ id: String, _ call: Call<Principal>) async throws {
        let (person, now) = (try call.person(), context.now())
        let vote = try await context.store.read { db in
            try Vote.find(id, for: People.getNumber(of: person, in: db), in: db)
        }
        guard vote == nil else { return }
        try await context.editor.change { db, _ in
            try RateLimits.count(.voteIDs, by: People.getNumber(of: person, in: db), now: now, in: db)
        }
        throw Refusal.absent("vote", id: id)
    }
}

/// The context of a read or change: the transaction, the caller and the time.
struct VoteContext {
    let db: Database
    let me: Person
    let now: Timestamp

    var person: Int64 { me.number }

    /// Returns the vote with an id, which the caller must have opened.
    ///
    /// - Throws: ``Refusal/notAllowed(_:)`` for all other callers, including administrators.
    func own(_ id: String) throws -> Vote {
        let vote = try Vote.get(id, for: person, in: db)
        guard vote.initiator == person else {
            throw Refusal.notAllowed("Only the person who opened the vote \(id) can see and settle its names.")
        }
        return vote
    }

    /// Returns the vote with an id, which the caller must have opened and which must still be open.
    func ownOpen(_ id: String) throws -> Vote {
        let vote = try own(id)
        guard vote.isOpen(at: now) else { throw Refusal.conflict("The vote \(id) has ended.") }
        return vote
    }
}

extension VoteMethods {
    /// Ends the votes that are due, so that nobody sees an ended vote as open.
    private func endDue() async throws { try await TimedWorks(context, [VoteEnds()]).catchUp() }

    /// Runs `body` in a read transaction on behalf of the caller.
    func read<Value: Sendable>(
        _ call: Call<Principal>, _ body: @escaping @Sendable (VoteContext) throws -> Value
    ) async throws -> Value {
        let id = try call.person()
        let now = context.now()
        // Votes are rarely due, so one transaction usually suffices.
        let value: Value? = try await context.store.read { db in
            if let due = try VoteEnds().due(at: now, in: db), due <= now { return nil }
            return try Self.read(as: id, at: now, in: db, body)
        }
        if let value { return value }
        try await endDue()
        let later = context.now()
        return try await context.store.read { try Self.read(as: id, at: later, in: $0, body) }
    }

    private static func read<Value>(
        as id: String, at now: Timestamp, in db: Database, _ body: (VoteContext) throws -> Value
    ) throws -> Value {
        try body(VoteContext(db: db, me: People.get(id, in: db), now: now))
    }

    /// Runs `body` in a write transaction on behalf of the caller.
    func change<Value: Sendable>(
        _ call: Call<Principal>, _ body: @escaping @Sendable (VoteContext, inout Consequences) throws -> Value
    ) async throws -> Value {
        let id = try call.person()
        try await endDue()
        let now = context.now()
        return try await context.editor.change { db, consequences in
            try body(VoteContext(db: db, me: People.get(id, in: db), now: now), &consequences)
        }
    }
}

extension Parameter where Value == String {
    /// The parameter `vote`, the id of a vote.
    static var vote: Parameter { .required("vote", .string(length: 1...16), "The vote's id, of seven digits.") }
}

/// The parameters with which a vote is opened.
struct VoteOpening: Sendable {
    /// The part of the vote that people see.
    var draft: Vote.Draft
    /// The passcode that admits people.
    var passcode: String

    private static let fields: [Field] = [
        .required("subject", .string(length: 1...Vote.longestText), "The subject of the vote."),
        .required(
            "participants", .integer(in: Int64(Vote.participants.lowerBound)...Int64(Vote.participants.upperBound)),
            "The number of people that it is for; it ends when that many ballots are counted."),
        .required(
            "limit", .choice(of: Vote.Limit.self),
            "The longest time that it stays open: 10 minutes, an hour, a day or a week."),
        .required("passcode", passcode, "The passcode, of \(digits); give it to those who may vote."),
        .required(
            "options", .array(of: .string(length: 1...Vote.longestText), count: Vote.options),
            "The options, in this order."),
        .optional(
            "colour", .choice(of: Vote.Colour.self),
            "The colour, which distinguishes it from other votes; blue by default."),
    ]

    static let parameter = Parameter<VoteOpening>(fields) { members throws(Refusal) in
        func required<Value>(_ name: String, _ value: Value?) throws(Refusal) -> Value {
            guard let value else { throw .invalid(name, "is missing") }
            return value
        }
        let (subject, participants): (String?, Int?) = (try members.value("subject"), try members.value("participants"))
        let (limit, options): (Vote.Limit?, [String]?) = (try members.choice("limit"), try members.value("options"))
        let (passcode, colour): (String?, Vote.Colour?) = (try members.value("passcode"), try members.choice("colour"))
        let code = try checked(try required("passcode", passcode))
        let (text, number) = (try required("subject", subject), try required("participants", participants))
        let (span, choices) = (try required("limit", limit), try required("options", options))
        let draft = try Vote.Draft(
            given: text, options: choices, participants: number, limit: span, colour: colour ?? .blue)
        return VoteOpening(draft: draft, passcode: code)
    }

    private static let digits = "1 to 6 digits"
    private static let passcode = Schema.secret(length: 1...6)

    /// The parameter `passcode` of a person who wants to be admitted.
    static let givenPasscode = Parameter<String?>.optional(
        "passcode", passcode, "The passcode, of \(digits); needed only the first time."
    ).map { text throws(Refusal) -> String? in
        guard let text else { return nil }
        return try checked(text)
    }

    private static func checked(_ text: String) throws(Refusal) -> String {
        guard (1...6).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .invalid("passcode", "must be \(digits)")
        }
        return text
    }
}
