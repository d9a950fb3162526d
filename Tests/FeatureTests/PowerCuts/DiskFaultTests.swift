import Foundation
import GRDB
import GRDBSQLite
import TestSupport
import Testing

@testable import Service
@testable import Store

/// Each call that SQLite makes of the disk fails, once and for a while.
@Suite(.slow) struct DiskFaultTests {
    /// Where to begin, by `WAYMARK_SEED`; a few calls of two steps fail unless `WAYMARK_TESTS` is `soak`.
    ///
    /// Where it is, every eleventh call of each step fails: eleven numbers in a row make it each.
    private static let first = TestTier.isSoak ? Int(TestTier.seed % 11) : nil

    @Test(arguments: [
        SQLITE_FULL, SQLITE_IOERR | (3 << 8), SQLITE_IOERR | (4 << 8), SQLITE_NOMEM, SQLITE_READONLY,
    ])
    func whatFailsIsTriedAgainAndWrittenOnce(_ code: Int32) async throws {
        let expected = try await Recorded.day.value
        let starts = try await Self.starts.value
        var faults = 0
        for step in Day.steps.indices where Self.first != nil || step % 18 == 4 {
            for length in [1, 40] {
                var call = Self.first ?? 14
                while try await fail(call, length, code, at: step, starts[step], expected) {
                    faults += 1
                    call += Self.first == nil ? 61 : 11
                }
            }
        }
        #expect(faults >= 4)
        if Self.first != nil { print("\(faults) faults of code \(code)") }
    }

    /// Where waiting for a later commit fails, the system forgets all that it has not written.
    @Test func whatOpeningWritesIsWaitedFor() async throws {
        let folder = try TemporaryFolder()
        try await Self.starts.value[2].write(to: URL(fileURLWithPath: Day.store(folder)))
        RecordingDisk.record(folder.path)
        defer { RecordingDisk.forget(folder.path) }
        let store = try Day.open(folder)
        let operations = RecordingDisk.operations(in: folder.path)
        let write = operations.lastIndex { if case .write = $0 { true } else { false } }
        let sync = operations.lastIndex { if case .sync = $0 { true } else { false } }
        #expect(try #require(write) < #require(sync))
        try store.close()
    }

    /// The file of the store before each step.
    private static let starts = Task {
        let folder = try TemporaryFolder()
        let day = try Day(in: folder)
        var files: [Data] = []
        for step in Day.steps.indices {
            files.append(try Data(contentsOf: URL(fileURLWithPath: Day.store(folder))))
            try await day.run(from: step, to: step + 1)
        }
        return files
    }

    /// Does a step over a store while the disk fails from a call on.
    ///
    /// - Returns: whether the disk was called so often.
    private func fail(
        _ call: Int, _ length: Int, _ code: Int32, at step: Int, _ start: Data, _ expected: Recorded
    ) async throws -> Bool {
        let comment: Comment = "step \(step), call \(call), \(length) times"
        let folder = try TemporaryFolder()
        try start.write(to: URL(fileURLWithPath: Day.store(folder)))
        RecordingDisk.record(folder.path)
        defer { RecordingDisk.forget(folder.path) }
        RecordingDisk.fail(.init(after: call, count: length, code: code), in: folder.path)
        try await Day(in: folder, tries: 100).run(from: step, to: step + 1) { steps, _ in
            RecordingDisk.add(.acknowledge(steps), in: folder.path)
        }
        let wasReached = RecordingDisk.calls(in: folder.path) > call
        RecordingDisk.fail(nil, in: folder.path)
        let store = try Day.open(folder)
        #expect(try Day.rows(of: store) == expected.states[step + 1], comment)
        try await Day.checkSound(store, comment)
        try store.close()

        // What a disk counted as written, and was not, is not there after a power cut.
        let operations = RecordingDisk.operations(in: folder.path)
        let end = operations.lastIndex { if case .acknowledge = $0 { true } else { false } } ?? 0
        let left = try TemporaryFolder()
        var disk = CutDisk(["waymark.db": Array(start)], after: operations[...end], seed: UInt64(call))
        try disk.write(to: left.path)
        let reopened = try Day.open(left)
        #expect(try Day.rows(of: reopened) == expected.states[step + 1], comment)
        try reopened.close()
        return wasReached
    }
}
