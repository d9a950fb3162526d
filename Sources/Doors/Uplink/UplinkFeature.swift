import Callers
import RPC
import Schemas
public import Service
import Store
import Time

/// The uplink as a feature: its tables, and the methods `uplink.status`, `uplink.verify` and `uplink.board`.
public enum UplinkFeature {
    /// The feature.
    public static let feature: Feature = {
        var feature = Feature { context, _ in [status(context), verify(context), board(context)] }
        feature.migrations = UplinkSchema.migrations
        return feature
    }()

    /// What is known of a log: this machine's own, or that of a board.
    private struct Known: Sendable {
        /// The name of the board; `nil` for this machine's own log.
        var board: String?
        var chain: EventChain
        /// The last event of the log; `nil` for that of a board.
        var last: Int64?
        var log: Boards.Log?
        /// Whether the chain was computed again and is the same; `nil` if it was not computed.
        var isProven: Bool?
        /// Whether the events are here no longer, so that the chain cannot be computed.
        var isShort = false
    }

    private struct State: Sendable {
        var own: Known
        var boards: [Known]
        var silent: [String]
    }

    private static let known = AnswerShape<Known>.object {
        Member.optional("board", .text, "The name of the board; absent for this machine.") { $0.board }
        Member("log", .text, "The name of the log.") { $0.chain.log }
        Member.optional("last", .integer, "The last event of this machine's log; absent for a board.") {
            $0.last.map { Int($0) }
        }
        Member(
            "seq", .integer,
            "The last event that the centre has acknowledged; for a board, the last one that is here with all before it."
        ) { Int($0.chain.seq) }
        Member("chain", .text, "The chain of digests up to that event, in hexadecimal digits.") { $0.chain.text }
        Member.optional("missing", .integer, "The events that the board had deleted before they came.") {
            $0.log.map { Int($0.missing) }
        }
        Member.optional("seen", .text, "When the last batch of the board came.") { $0.log?.seen?.description }
        Member.optional(
            "proven", .boolean,
            "Whether the chain was computed again from the stored events, and is the same; absent if it was not."
        ) { $0.isProven }
        Member.flag("short", "Whether old events were deleted, so that the chain cannot be computed again.") {
            $0.isShort
        }
    }

    private static let answer = AnswerShape<State>.object {
        Member("own", known, "This machine's own log.") { $0.own }
        Member("boards", .array(of: known), "The logs of the boards that send their events here.") { $0.boards }
        Member("silent", .array(of: .text), "The boards that have sent nothing yet.") { $0.silent }
    }

    private static func status(_ context: ServiceContext) -> Method<Principal> {
        .stored(
            "uplink.status",
            "Returns how much of this machine's events its centre has, and what boards have sent here.",
            answers: answer, right: .change
        ) { _ in try await state(in: context.store) }
    }

    private static func verify(_ context: ServiceContext) -> Method<Principal> {
        .stored(
            "uplink.verify",
            """
            Computes the chains of digests again from the stored events. Equal chains at equal numbers on a board and its \
            centre prove that no event was lost, doubled, changed or moved.
            """,
            answers: answer, right: .change
        ) { _ in
            var state = try await state(in: context.store)
            let own = state.own.chain
            let reader = UplinkReader(store: context.store) { _ in true }
            let start = try await context.store.read { db -> EventChain? in
                // The earliest place from which all events are here.
                let first = try EventLog.extent(in: db).first ?? 1
                guard first > 1 else { return EventChain(log: own.log) }
                return try UplinkPlaces.mark(from: first - 1, of: own.log, in: db)
            }
            if let start, start.seq <= own.seq, let chain = try await reader.chain(at: own.seq, from: start) {
                state.own.isProven = chain == own
            } else {
                state.own.isShort = own.seq > 0
            }
            for index in state.boards.indices {
                guard let log = state.boards[index].log else { continue }
                state.boards[index].isProven = try await chain(of: log, in: context.store) == log.chain
            }
            return state
        }
    }

    /// Returns whether a text can be the name of a board.
    public static func isName(of text: String) -> Bool {
        (1...Boards.longestName).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D
                    || $0 == 0x5F
            }
    }

    private static func board(_ context: ServiceContext) -> Method<Principal> {
        .stored(
            "uplink.board",
            """
            Makes a secret with which a board sends its events here. A board that has one gets a new one, and the old one \
            ends.
            """,
            Parameter<String>.required(
                "name", .string(length: 1...Boards.longestName),
                "The name of the board: letters, digits, hyphens and underscores."
            ).map { name throws(Refusal) in
                guard isName(of: name) else {
                    throw Refusal.invalid("name", "must have letters, digits, hyphens and underscores only")
                }
                return name
            },
            answers: AnswerShape<(name: String, secret: String)>.object {
                Member("name", .text, "The name of the board.") { $0.name }
                Member(
                    "secret", .text, "The secret, for the file that uplink.secret names on the board; shown only once."
                ) { $0.secret }
            }, errors: [.invalidValue], right: .change
        ) { _, name in
            let secret = try await context.editor.change { db, _ in
                guard try Boards.exists(name, in: db) || Boards.devices(of: name, in: db).isEmpty else {
                    throw Refusal.invalid("name", "must not be that of devices of this machine, such as \(name)/…")
                }
                return try Boards.makeSecret(of: name, in: db)
            }
            return (name: name, secret: secret)
        }
    }

    private static func state(in store: LocationDatabase) async throws -> State {
        try await store.read { db in
            let log = try EventLog.extent(in: db)
            return State(
                own: Known(chain: try UplinkPlaces.acknowledged(of: log.name, in: db), last: log.last),
                boards: try Boards.logs(in: db).map { Known(board: $0.board, chain: $0.chain, log: $0) },
                silent: try Boards.silent(in: db))
        }
    }

    /// Returns the chain of a board's log, computed again from its events.
    ///
    /// - Complexity: O(*n*) for *n* events, in reads of bounded length.
    private static func chain(of log: Boards.Log, in store: LocationDatabase) async throws -> EventChain {
        var chain = EventChain(log: log.chain.log)
        while chain.seq < log.chain.seq {
            let from = chain.seq
            let items = try await store.read { db in
                try Boards.items(of: log.number, after: from, limit: UplinkBatch.longest, in: db).map {
                    StoredItem(seq: $0.seq, item: $0.item)
                }
            }
            for stored in items where chain.seq < log.chain.seq {
                guard stored.seq == chain.seq + 1 else { return chain }
                stored.item.extend(&chain)
            }
            guard chain.seq > from else { return chain }
        }
        return chain
    }

    private struct StoredItem: Sendable {
        var seq: Int64
        var item: UplinkBatch.Item
    }
}
