import Geodesy
import Positioning
import Store
import TestSupport
import Testing
import Time
import Tracking

@testable import Daemon
@testable import Sights

/// The system's clock is set during a drive, runs slow, or was never set.
@Suite(.slow, .timeLimit(.minutes(2))) struct WrongClockTests {
    enum Wrongness: CaseIterable {
        case hourAhead, hourBehind, yearsAhead, yearsBehind, thereAndBack, slow, absent

        private static let years = 10 * 366 * 86_400.0

        /// Returns how many seconds the clock is ahead at a second of the drive.
        func error(at second: Double) -> Double {
            switch self {
            case .hourAhead: second < 100 ? 0 : 3_600
            case .hourBehind: second < 100 ? 0 : -3_600
            case .yearsAhead: second < 100 ? 0 : Self.years
            case .yearsBehind: second < 100 ? 0 : -Self.years
            case .thereAndBack: (100..<200).contains(second) ? Self.years : 0
            case .slow: -second / 2
            case .absent: -Double(LiveRig.time(second).milliseconds) / 1000
            }
        }
    }

    private static let sights = [100.0, 900, 2_500].map { east in
        Sight(
            id: "\(Int(east))", title: "\(east)", place: LiveRig.fix(0, east: east).coordinate, radius: .meters(50))
    }

    /// Returns a rig with the sights.
    private func rig(isSynchronised: Bool? = false) async throws -> LiveRig {
        let store = try Stores.temporary()
        _ = try store.importSights(Self.sights)
        return try await LiveRig(store, isSynchronised: isSynchronised)
    }

    /// Drives, rests for an hour and sends nothing for a day, by a clock that may be wrong.
    ///
    /// - Returns: The drive's events in the log.
    private func drive(_ rig: LiveRig, _ wrongness: Wrongness?) async throws -> [String] {
        try await rig.run {
            for second in 0..<4_000 where second < 400 || second % 60 == 0 {
                let moment = Double(second)
                rig.clock.move(by: moment - rig.clock.now)
                rig.clock.error = wrongness?.error(at: moment) ?? 0
                await rig.receive([LiveRig.fix(moment, east: min(3_000, max(0, moment - 30) * 10))])
                await rig.pipeline.tick()
            }
            rig.clock.move(by: 86_400)
            rig.clock.error = wrongness?.error(at: rig.clock.now) ?? 0
            await rig.pipeline.tick()
            await rig.pipeline.probe()
            return try rig.store.events(after: 0, limit: .max).map { String(decoding: $0.line, as: UTF8.self) }
        }
    }

    @Test func aWrongClockDoesNotChangeTheLogOfADrive() async throws {
        let expected = try await drive(try await rig(), nil)
        try #require(expected.count > 6)
        for wrongness in Wrongness.allCases {
            #expect(try await drive(try await rig(), wrongness) == expected, "\(wrongness)")
        }
    }

    /// Each wrongness with one of the answers of the system, or with all of them in a soak test.
    private static let pairs = Wrongness.allCases.enumerated().flatMap { number, wrongness in
        let answers: [Bool?] = [nil, false, true]
        return (TestTier.isSoak ? answers : [answers[number % 3]]).map { (wrongness, $0) }
    }

    @Test(arguments: pairs)
    func aWrongClockDoesNotPruneAnything(_ wrongness: Wrongness, _ isSynchronised: Bool?) async throws {
        // If the system says that its clock is right, nothing shows that the first fix is not from the future.
        guard isSynchronised != true || wrongness != .absent else { return }
        let rig = try await rig(isSynchronised: isSynchronised)
        let log = try await drive(rig, wrongness)
        let points = try rig.store.trips().map { try rig.store.trace(ofTrip: $0.summary.id, limit: .max).count }
        let now = try #require(await rig.pipeline.trustedTime())
        #expect(now <= LiveRig.time(4_000 + 86_400))
        let old = now.advanced(byMilliseconds: -2 * Timestamp.millisecondsPerDay)
        let pruned = try await rig.store.prune(eventsBefore: old, tracesBefore: old, now: now)
        #expect(pruned == Pruned())
        #expect(try rig.store.events(after: 0, limit: .max).count == log.count)
        #expect(try rig.store.trips().map { try rig.store.trace(ofTrip: $0.summary.id, limit: .max).count } == points)
        #expect(points.allSatisfy { $0 > 2 } && !points.isEmpty)
    }
}
