public import Callers
import Foundation
import GRDB
public import RPC
public import Service
package import Store
import Synchronization
package import Time

/// Calls that a client may send again, because it does not know whether the first one arrived, without making their
/// change twice.
///
/// The client makes an id for the call. The id and the answer are stored in the transaction of the change, so that
/// either both are there or neither is. A call with a known id changes nothing, and gets the stored answer.
public struct RepeatedCalls: Sendable {
    private let store: LocationDatabase
    private let editor: Editor
    private let now: @Sendable () -> Timestamp

    /// The calls of one person that are remembered; older ones are forgotten.
    static let maximumCount = 500
    /// How long a call is remembered, in milliseconds: 7 days.
    static let lifetime: Int64 = 7 * 24 * 3_600_000
    /// The longest answer that is stored, in bytes.
    static let longestAnswer = 64 << 10

    /// Creates the memory of a daemon's calls.
    public init(_ context: ServiceContext) {
        self.init(context.store, context.editor, now: context.now)
    }

    package init(_ store: LocationDatabase, _ editor: Editor, now: @escaping @Sendable () -> Timestamp) {
        self.store = store
        self.editor = editor
        self.now = now
    }

    /// Runs a call, or returns the answer that it got before.
    ///
    /// - Throws: Error 4 (invalid value) if the call has an id, and its method may not be repeated; error 3 (conflict)
    ///   with the reason `repeated` if the id was used for another call, or if the answer was too long to store.
    public func run(_ call: PendingCall<Principal>) async throws -> JSONText {
        guard let once = call.once else { return try await call.run() }
        guard Self.methods.contains(call.method) else {
            throw Refusal.invalid("once", "must not be given, because \(call.method) cannot be repeated")
        }
        guard let person = call.caller.person else {
            throw Refusal.invalid("once", "must not be given unless you are signed in")
        }
        let asked = Array(call.method.utf8) + JSONText(.object(call.parameters)).bytes
        return try await run(once, of: asked, by: person) {
            call.answer(of: $0)
        } call: {
            try await call.run()
        }
    }

    /// Runs a call with an id, or returns the answer that it got before; see ``run(_:)``.
    ///
    /// - Parameters:
    ///   - asked: Everything that distinguishes the call from another one.
    ///   - answer: Encodes the result of the call's change; `nil` if it is not the answer.
    package func run(
        _ once: String, of asked: [UInt8], by person: String,
        answer: @escaping @Sendable (_ value: any Sendable) -> JSONText?,
        call: @Sendable () async throws -> JSONText
    ) async throws -> JSONText {
        let memory = CallMemory(once: once, asked: Secret.digest(asked), person: person, now: now())
        if let earlier = try await store.read({ try memory.find(in: $0) }) {
            return try earlier.answer(to: memory)
        }
        do {
            let witness = Editor.Witness { try memory.keep(answer($0), in: $1) }
            let text = try await Editor.$witness.withValue(witness, operation: call)
            // Most answers were stored with the change. If this fails, the call was made all the same.
            if memory.lacks(text) { try? await editor.change { db, _ in try memory.keep(text, in: db) } }
            return text
        } catch is CallMemory.Overtaken {
            guard let earlier = try await store.read({ try memory.find(in: $0) }) else {
                throw Refusal.unavailable("The same call was made at the same time. Send it again.")
            }
            return try earlier.answer(to: memory)
        }
    }
}

/// What is stored of one call.
private final class CallMemory: Sendable {
    private let once: String
    fileprivate let asked: Data
    private let person: String
    private let now: Timestamp
    private let state = Mutex(State())

    private struct State {
        /// Whether this call, and no other with its id, has made a change.
        var hasChanged = false
        var answer: JSONText?
    }

    /// The same call has made its change meanwhile.
    struct Overtaken: Error {}

    init(once: String, asked: Data, person: String, now: Timestamp) {
        self.once = once
        self.asked = asked
        self.person = person
        self.now = now
    }

    /// A call that was made before.
    struct Earlier: Sendable {
        let asked: Data
        let answer: String?

        /// Returns the stored answer to the same call.
        func answer(to memory: CallMemory) throws -> JSONText {
            guard let answer else {
                throw Refusal.conflict(
                    "This call was made before. Its answer is not stored.", data: ["reason": "repeated"])
            }
            let value = try JSONValue(parsing: Array(answer.utf8).span)
            guard asked == memory.asked else {
                throw Refusal.conflict(
                    "The id \(memory.once) was used for another call.", data: ["reason": "repeated", "answer": value])
            }
            return JSONText(value)
        }
    }

    /// Returns the earlier call with this id.
    func find(in db: Database) throws -> Earlier? {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT repeated_call.asked, repeated_call.answer FROM repeated_call
                    JOIN person ON person.number = repeated_call.person
                    WHERE person.id = ? AND repeated_call.id = ? AND repeated_call.made > ?
                    """),
            arguments: [person, once, now.milliseconds - RepeatedCalls.lifetime])
        return row.map { Earlier(asked: $0["asked"], answer: $0["answer"]) }
    }

    /// Stores that the call has made its change, and its answer if that is known.
    ///
    /// - Throws: ``Overtaken`` if another call with this id has made its change.
    func keep(_ answer: JSONText?, in db: Database) throws {
        let isFirst = state.withLock { !$0.hasChanged }
        let text = answer.flatMap { $0.bytes.count > RepeatedCalls.longestAnswer ? nil : $0 }
        guard let number = try People.number(of: person, in: db) else { return }
        if isFirst {
            try RepeatedCalls.forget(of: number, at: now, in: db)
            guard try RepeatedCalls.insert(once, asked, of: number, at: now, in: db) else { throw Overtaken() }
        }
        if let text {
            try db.cachedStatement(sql: "UPDATE repeated_call SET answer = ? WHERE person = ? AND id = ?")
                .execute(arguments: [String(decoding: text.bytes, as: UTF8.self), number, once])
        }
        state.withLock {
            $0.hasChanged = true
            $0.answer = text ?? $0.answer
        }
    }

    /// Whether the call has made a change, and its answer is to be stored.
    func lacks(_ answer: JSONText) -> Bool {
        state.withLock { $0.hasChanged && $0.answer != answer } && answer.bytes.count <= RepeatedCalls.longestAnswer
    }
}

extension RepeatedCalls {
    static let migration = StoreMigration(
        at: 78, name: "companion.calls.1",
        sql: """
            -- Calls that their client may send again: whose, the id that the client made, the SHA-256 of what was asked,
            -- the answer unless it was too long, and when in milliseconds since 1970.
            CREATE TABLE repeated_call (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
                id TEXT NOT NULL,
                asked BLOB NOT NULL CHECK (length(asked) = 32),
                answer TEXT,
                made INTEGER NOT NULL,
                UNIQUE (person, id)
            ) STRICT;
            CREATE INDEX repeated_call_by_person ON repeated_call (person, number);
            CREATE INDEX repeated_call_by_age ON repeated_call (made);
            """)

    /// Deletes the calls that are remembered no longer, before a person's next one is stored.
    fileprivate static func forget(of person: Int64, at now: Timestamp, in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM repeated_call WHERE made <= ?")
            .execute(arguments: [now.milliseconds - lifetime])
        try db.cachedStatement(
            sql: """
                DELETE FROM repeated_call WHERE repeated_call.person = :person AND repeated_call.number <= (
                    SELECT newer.number FROM repeated_call AS newer WHERE newer.person = :person
                    ORDER BY newer.number DESC LIMIT 1 OFFSET :kept)
                """
        ).execute(arguments: ["person": person, "kept": maximumCount - 1])
    }

    /// Stores a call without its answer.
    ///
    /// - Returns: Whether the id is new.
    fileprivate static func insert(
        _ once: String, _ asked: Data, of person: Int64, at now: Timestamp, in db: Database
    ) throws -> Bool {
        try db.cachedStatement(
            sql: "INSERT OR IGNORE INTO repeated_call (person, id, asked, made) VALUES (?, ?, ?, ?)"
        ).execute(arguments: [person, once, asked, now.milliseconds])
        return db.changesCount == 1
    }

    /// The methods whose calls may be repeated: those that change what people plan and say, and whose answers have no
    /// secret.
    ///
    /// The pages have the same list in `rpc.js`: calls that wait in a browser until it is back online.
    public static let methods: Set<String> = [
        "activities.add", "activities.remove", "activities.update", "checklists.add", "checklists.remove",
        "checklists.update", "expenses.add", "expenses.remove", "expenses.update", "locations.add", "locations.move",
        "locations.remove", "locations.update", "photos.remove", "photos.update", "plans.create", "plans.shift",
        "plans.update", "posts.add", "posts.addProduct", "posts.judge", "reactions.set", "repayments.add",
        "repayments.remove", "reviews.put", "reviews.remove", "tasks.add", "tasks.remove", "tasks.update",
        "votes.choose", "votes.done",
    ]
}
