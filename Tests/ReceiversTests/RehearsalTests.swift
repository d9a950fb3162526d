import Geodesy
import Glibc
import Positioning
import Synchronization
import TestSupport
import Testing

@testable import Receivers

@Suite(.timeLimit(.minutes(1))) struct RehearsalTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Returns sentences of fixes at the given seconds after ten o'clock.
    static func text(seconds: [Int]) -> String {
        seconds.map { second in
            let time = 100_000 + second / 3600 * 10_000 + second / 60 % 60 * 100 + second % 60
            return RecordingTests.sentence("GPRMC,\(time),A,5206.0000,N,00406.0000,E,10.0,45.5,010526,,,A")
        }.joined()
    }

    private func reports(_ url: String, _ clock: LeapingClock = LeapingClock()) async throws -> [ReceiverReport] {
        let receiver = Receiver(name: "gps", address: try ReceiverAddress(url), timing: clock.timing)
        let reports = Mutex<[ReceiverReport]>([])
        await receiver.run { more in reports.withLock { $0 += more } }
        return reports.withLock { $0 }
    }

    private func counts(_ reports: [ReceiverReport]) -> [Int] {
        reports.compactMap { if case .fixes(let fixes, "gps") = $0 { fixes.count } else { nil } }
    }

    @Test(arguments: [("", [1.0, 3, 60]), ("?speed=10", [0.1, 0.3, 6]), ("?speed=0.5", [2, 6, 120])])
    func fixesComeWhenTheyAreDue(query: String, waits: [Double]) async throws {
        let clock = LeapingClock()
        let path = try folder.file("ride.nmea", Self.text(seconds: [0, 1, 4, 64]))
        let reports = try await reports(path + query, clock)
        #expect(clock.waits.map { ($0 / .seconds(1) * 1000).rounded() / 1000 } == waits)
        #expect(counts(reports) == [1, 1, 1, 1])
        #expect(reports.first == .online(device: "gps"))
        #expect(reports.suffix(2) == [.ended(device: "gps"), .offline(device: "gps", reason: "end of file")])
    }

    @Test func atMaximumSpeedFixesComeWithoutWaits() async throws {
        let clock = LeapingClock()
        let path = try folder.file("ride.nmea", Self.text(seconds: [0, 1, 4, 64]))
        #expect(counts(try await reports("file:\(path)?speed=max", clock)).reduce(0, +) == 4)
        #expect(clock.waits.isEmpty)
    }

    @Test func aJumpBackInTimeDoesNotWait() async throws {
        let clock = LeapingClock()
        _ = try await reports(try folder.file("ride.nmea", Self.text(seconds: [10, 0, 20])), clock)
        #expect(clock.waits.map { $0 / .seconds(1) } == [10])
    }

    @Test func skippedSentencesAreReportedAtTheEnd() async throws {
        let path = try folder.file("ride.nmea", Self.text(seconds: [0]) + "$GPRMC,1*00\r\n")
        var tally = Tally()
        tally.count("checksum")
        #expect(try await reports(path).dropFirst(2).first == .skipped(tally))
    }

    @Test func anUnreadableFileGoesOfflineWithTheReason() async throws {
        #expect(
            try await reports(folder.file("nothing")) == [
                .offline(device: "gps", reason: "\(folder.file("nothing")): there is no such file")
            ])
        let damaged = RecordingTests.gpx.replacing("</trkseg>", with: "</trk>")
        let path = try folder.file("damaged.gpx", damaged)
        let reports = try await reports(path)
        #expect(counts(reports).reduce(0, +) == 2)
        #expect(reports.contains(.ended(device: "gps")))
        guard case .offline("gps", let reason)? = reports.last else { return #expect(Bool(false)) }
        #expect(reason.hasPrefix("\(path): line 5"))
    }

    @Test func aReceiverOfASilentPipeCanBeCancelled() async throws {
        let path = folder.file("pipe")
        #expect(unsafe mkfifo(path, 0o600) == 0)
        let receiver = Receiver(name: "gps", address: try ReceiverAddress(path))
        let task = Task { await receiver.run { _ in } }
        await Task.yield()
        task.cancel()
        await task.value
        // Opening the pipe releases the thread that waits to open it.
        let end = unsafe open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        #expect(end >= 0)
        close(end)
    }

    @Test func onceReadsARecordingToItsEnd() async throws {
        let path = try folder.file("ride.nmea", Self.text(seconds: [0, 1800]) + "$GPRMC,1*00\r\n")
        let receiver = Receiver(name: "gps", address: try ReceiverAddress(path))
        let count = Mutex(0)
        let skipped = try await receiver.once { fixes, device in
            #expect(device == "gps")
            count.withLock { $0 += fixes.count }
        }
        #expect(count.withLock { $0 } == 2)
        #expect(skipped["checksum"] == 1)
        let missing = Receiver(name: "gps", address: try ReceiverAddress(folder.file("nothing")))
        await #expect(throws: RecordingError("there is no such file")) { _ = try await missing.once { _, _ in } }
    }
}
