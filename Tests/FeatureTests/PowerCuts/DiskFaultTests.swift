import Foundation
import GRDB
import GRDBSQLite
import TestSupport
import Testing

@testable import Service
@testable import Store

/// Each call of SQLite to the disk fails, once or for a while.
@Suite(.slow) struct DiskFaultTests {
    /// The first failing call in a soak test, from `WAYMARK_SEED`; otherwise `nil`, and only a few calls of two steps
    /// fail.
    ///
    /// With a first call, every eleventh call of each step fails. Eleven consecutive seeds cover every call.
    private static let first = TestTier.isSoak ? Int(TestTier.seed % 11) : nil

    @Test(arguments: [
        SQLITE_FULL, SQLITE_IOERR | (3 << 8), SQLITE_IOERR | (4 << 8), SQLITE_NOMEM, SQLITE_READONLY,
    ])
    func aFailedStepIsRetriedAndWrittenOnce(_ code: Int32) async throws {
        let expected = try await Recorded.day.value
        let starts = try await Self.starts.value
        var faults = 0
        for (step, start) in starts {
            for length in [1, 40] {
                var call = Self.first ?? 14
                while try await fail(call, length, code, at: step, start, expected) {
                    faults += 1
                    call += Self.first == nil ? 61 : 11
                }
            }
        }
        #expect(faults >= 4)
        if Self.first != nil { print("\(faults) faults of code \(code)") }
    }

    /// If the sync of a later commit fails, the system discards everything that it has not written.
    @Test func openingAStoreSyncsItsWrites() async throws {
        let folder = try TemporaryFolder()
        try await Self.starts.value[0].file.write(to: URL(fileURLWithPath: Day.store(folder)))
        RecordingDisk.record(folder.path)
        defer { RecordingDisk.forget(folder.path) }
        let store = try Day.open(folder)
        let operations = RecordingDisk.operations(in: folder.path)
        let write = operations.lastIndex { if case .write = $0 { true } else { false } }
        let sync = operations.lastIndex { if case .sync = $0 { true } else { false } }
        #expect(try #require(write) < #require(sync))
        try store.close()
    }

    /// The steps during which the disk fails, each with the file of the store before it.
    private static let starts = Task {
        let folder = try TemporaryFolder()
        let day = try Day(in: folder)
        var starts: [(step: Int, file: Data)] = []
        for step in Day.steps.indices where first != nil || step % 18 == 4 {
            try await day.run(from: starts.last?.step ?? 0, to: step)
            starts.append((step, try Data(contentsOf: URL(fileURLWithPath: Day.store(folder)))))
        }
        return starts
    }

    /// Runs a step over a store while the disk fails from the given call on.
    ///
    /// - Returns: whether the disk was called that often.
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

        // Bytes whose sync failed are not there after a power cut, although the disk counted them as written.
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
