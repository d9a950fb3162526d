import Callers
import FeatureSupport
import GRDB
import RPC
import Synchronization
import TestSupport
import Testing
import Time

@testable import People
@testable import Service
@testable import Store

/// What people can do while the disk is full.
@Suite(.slow) struct FullStoreTests {
    /// The words with which the summary of a method begins that only returns something.
    private static let words: Set = [
        "Returns", "Lists", "Finds", "Describes", "Explains", "Compares",
    ]
    /// The methods that begin with one of these words and may have to write: `votes.get` lets people in.
    private static let writers: Set = ["votes.get"]

    @Test func everybodyReadsWhileTheDiskIsFull() async throws {
        let methods = Dictionary(
            grouping: MethodCaseTests.all.filter { $0.outcome == .answer }, by: \.method
        ).sorted { $0.key < $1.key }
        var (answered, refused): ([String], [String]) = ([], [])
        for (method, cases) in methods {
            for one in cases {
                let (core, parameters) = try await one.prepare()
                let disk = FullDisk.fill(core.store)
                defer { disk.isFull = false }
                let summary = try #require(core.table.methods.first { $0.name == method }).summary
                let isReading =
                    Self.words.contains(String(summary.prefix { $0 != " " })) && !Self.writers.contains(method)
                do {
                    try await core.call(method, parameters, from: one.caller.connection)
                    answered.append(method)
                } catch let error as RPCError {
                    refused.append(method)
                    #expect(!isReading, "\(method): \(error)")
                    #expect(error.code == .unavailable, "\(method): \(error)")
                    #expect(error.message.hasSuffix("the disk is full: nothing was written."), "\(method): \(error)")
                }
            }
        }
        #expect(Set(answered).count > 60)
        #expect(Set(refused).count > 60)
    }

    @Test func aSessionIsResumedAndItsUseIsNotedWhenThereIsRoom() async throws {
        let core = try await MethodCase.world()
        let token = try await core.admit().token
        func used() async throws -> Int64? {
            try await core.store.read { try Int64.fetchOne($0, sql: "SELECT used FROM session") }
        }
        let opened = try await used()
        core.clock.time = core.clock.time.advanced(byMilliseconds: Sessions.noteInterval)
        let disk = FullDisk.fill(core.store)
        try await core.call("people.resume", ["token": .string(token)], from: CoreFixture.connection())
        try await core.context.editor.note { _, _ in }
        #expect(try await used() == opened)
        disk.isFull = false
        let connection = CoreFixture.connection()
        try await core.call("people.resume", ["token": .string(token)], from: connection)
        #expect(connection.person == "ada.l")
        try await core.context.editor.note { _, _ in }
        #expect(try await used() == core.clock.time.milliseconds)
        // Within the hour nothing is written.
        let count = core.store.commits
        core.clock.time = core.clock.time.advanced(byMilliseconds: Sessions.noteInterval - 1)
        try await core.call("people.resume", ["token": .string(token)], from: CoreFixture.connection())
        #expect(core.store.commits == count)
    }
}

/// A full disk under a store: no change can be committed.
final class FullDisk: TransactionObserver, Sendable {
    private let state = Mutex((isFull: true, hasChanges: false))

    var isFull: Bool {
        get { state.withLock { $0.isFull } }
        set { state.withLock { $0.isFull = newValue } }
    }

    /// Lets the disk under a store be full from now on.
    static func fill(_ store: LocationDatabase) -> FullDisk {
        let disk = FullDisk()
        store.queue.add(transactionObserver: disk, extent: .databaseLifetime)
        return disk
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) { state.withLock { $0.hasChanges = true } }
    func databaseDidCommit(_ db: Database) { state.withLock { $0.hasChanges = false } }
    func databaseDidRollback(_ db: Database) { state.withLock { $0.hasChanges = false } }

    func databaseWillCommit() throws {
        // Also called at the end of a read.
        guard state.withLock({ $0.isFull && $0.hasChanges }) else { return }
        throw DatabaseError(resultCode: .SQLITE_FULL, message: "database or disk is full")
    }
}
