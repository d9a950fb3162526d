import Foundation
import GRDB
import TestSupport
import Testing

@testable import Daemon
@testable import Service
@testable import Store

/// The power fails before each sync of a day.
@Suite struct PowerCutTests {
    /// Whether to try all cuts, three ways each, with `WAYMARK_TESTS=soak`.
    ///
    /// Otherwise each run tries a few cuts.
    private static let isThorough = TestTier.isSoak

    @Test func acknowledgedStepsSurviveEachPowerCutOnce() async throws {
        let expected = try await Recorded.day.value
        let syncs = expected.operations.indices.filter {
            if case .sync = expected.operations[$0] { true } else { false }
        }
        try #require(syncs.count > 80)

        var cuts = 0
        for (number, index) in syncs.enumerated() where Self.isThorough || number % 40 == 7 {
            for seed in 0..<(Self.isThorough ? 3 : 1) {
                try await expected.cut(before: index, seed: UInt64(number * 3 + seed), "cut \(number), seed \(seed)")
                cuts += 1
            }
        }
        if Self.isThorough { print("\(cuts) power cuts at \(syncs.count) syncs") }
    }
}

/// A day without faults, and the contents of the store after each step.
struct Recorded: Sendable {
    /// The day that all tests share.
    static let day = Task { try await Recorded(try TemporaryFolder()) }

    let operations: [RecordingDisk.Operation]
    /// The contents of the store after each number of steps.
    let states: [[String]]
    private let log: String
    private let start: [String: [UInt8]]

    /// Runs the day in a folder.
    init(_ folder: TemporaryFolder) async throws {
        let day = try Day(in: folder)
        start = ["waymark.db": try [UInt8](Data(contentsOf: URL(fileURLWithPath: Day.store(folder))))]
        RecordingDisk.record(folder.path)
        defer { RecordingDisk.forget(folder.path) }
        var states: [[String]] = []
        var log = ""
        try await day.run { steps, store in
            RecordingDisk.add(.acknowledge(steps), in: folder.path)
            states.append(try Day.rows(of: store))
            log = try store.logExtent().name
        }
        operations = RecordingDisk.operations(in: folder.path)
        self.states = states
        self.log = log
    }

    /// The contents of the store at the end of the day.
    var end: [String] { states.last ?? [] }

    /// Cuts the power before an operation, and checks what is left and how the day continues.
    func cut(before index: Int, seed: UInt64, _ cut: Comment) async throws {
        try await Self.check(after: operations[..<index], seed: seed, self, cut)
    }

    /// Checks what a cut after some operations leaves, and that the rest of the day leads to the same end.
    static func check(
        after operations: some Sequence<RecordingDisk.Operation>, seed: UInt64, _ expected: Recorded, _ cut: Comment
    ) async throws {
        var disk = CutDisk(expected.start, after: operations, seed: seed)
        let folder = try TemporaryFolder()
        try disk.write(to: folder.path)
        let store = try Day.open(folder)
        let rows = try Day.rows(of: store)
        try await Day.checkSound(store, cut)
        #expect(try store.logExtent().name == expected.log, cut)
        try store.close()

        // The step under way may be complete, and a divided step may be complete in part.
        let steps = expected.states.lastIndex(of: rows) ?? disk.acknowledged
        #expect(steps >= disk.acknowledged, cut)
        let isPartOfStep = steps < Day.steps.count && Day.steps[steps].isDivided
        #expect(rows == expected.states[steps] || isPartOfStep, cut)
        for (number, step) in Day.steps.enumerated().prefix(disk.acknowledged) {
            guard case .backup(let name) = step else { continue }
            let backup = try LocationDatabase.openForReading(
                at: folder.file(name), migrations: FeatureList.standard.migrations)
            #expect(try Day.rows(of: backup) == expected.states[number], cut)
            try backup.close()
        }

        var end: [String] = []
        try await Day(in: folder).run(from: steps) { steps, store in
            if steps == Day.steps.count { end = try Day.rows(of: store) }
        }
        #expect(end == expected.end, cut)
    }
}
