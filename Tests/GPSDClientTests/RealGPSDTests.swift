import Geodesy
import Positioning
import TestSupport
import Testing
import Time

@testable import GPSDClient

@Suite(.timeLimit(.minutes(1)), .enabled(if: RealGPSD.isInstalled, "gpsd is not installed"))
struct RealGPSDTests {
    /// Feeds a walk north with a fix every second, as RMC and GGA.
    private func walk(_ gpsd: RealGPSD) {
        for second in 10..<40 {
            let place = "5206.\(second)0,N,00412.000,E"
            gpsd.feed("$GPRMC,1000\(second).000,A,\(place),3.0,0.0,010526,,,A")
            gpsd.feed("$GPGGA,1000\(second).000,\(place),1,08,1.2,43.2,M,46.9,M,,")
        }
    }

    @Test func aRealGPSDDeliversFixes() async throws {
        let gpsd = try RealGPSD()
        let address = GPSDAddress(host: "localhost", port: gpsd.port, device: gpsd.device)
        let reports = await heard(
            from: address, until: { $0.count { $0.fix != nil } >= 20 }, whenWatched: { walk(gpsd) })
        guard case .version(let release, _, _) = reports.first else { return #expect(Bool(false), "no banner") }
        #expect(!release.isEmpty)
        #expect(reports.contains(.devices([gpsd.device])))
        let fixes = reports.compactMap(\.fix)
        let start = Timestamp(rfc3339: "2026-05-01T10:00:00Z").known
        let seconds = fixes.compactMap { $0.time?.seconds(since: start) }
        #expect(seconds.count == fixes.count)
        #expect(zip(seconds, seconds.dropFirst()).allSatisfy { $0 < $1 })
        for (fix, second) in zip(fixes, seconds) {
            #expect(abs(fix.coordinate.latitude - (52.1 + second / 100 / 60)) < 1e-6)
            #expect(abs(fix.coordinate.longitude - 4.2) < 1e-6)
        }
        #expect(fixes.contains { $0.altitude.map { abs($0.meters - 43.2) < 0.01 } ?? false })
        #expect(fixes.contains { $0.speed.map { abs($0.metersPerSecond - 1.543) < 0.01 } ?? false })
    }

    /// Returns the reports of a session, which is cancelled once there are enough.
    private func heard(
        from address: GPSDAddress, until isEnough: @escaping @Sendable ([GPSDReport]) -> Bool,
        whenWatched act: @escaping @Sendable () -> Void
    ) async -> [GPSDReport] {
        let (batches, sink) = AsyncStream<[GPSDReport]>.makeStream()
        let session = Task {
            defer { sink.finish() }
            try await GPSDSession.run(address) { batch in
                if batch.contains(where: { if case .devices = $0 { true } else { false } }) { act() }
                sink.yield(batch)
            }
        }
        var reports: [GPSDReport] = []
        for await batch in batches {
            reports += batch
            if isEnough(reports) { session.cancel() }
        }
        return reports
    }
}
