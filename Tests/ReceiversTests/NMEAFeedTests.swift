import NIOCore
import NIOEmbedded
import Positioning
import TestSupport
import Testing
import Time

@testable import Receivers

@Suite struct NMEAFeedTests {
    private static func rmc(_ time: String, date: String = "010526", status: String = "A") -> [UInt8] {
        Array(RecordingTests.sentence("GPRMC,\(time),\(status),5206.0000,N,00406.0000,E,10.0,45.5,\(date),,,A").utf8)
    }

    private func times(_ inputs: [ReceiverInput]) -> [String] {
        inputs.flatMap { input in
            guard case .validData(let fixes, nil) = input else { return [String]() }
            return fixes.map { $0.time?.description ?? "-" }
        }
    }

    @Test func aPauseEndsAnEpoch() {
        var feed = NMEAFeed(WeekRollover(notBefore: nil))
        #expect(feed.process(.bytes(Self.rmc("100000"))) == [.validData([])])
        #expect(times(feed.process(.pause)) == ["2026-05-01T10:00:00.000Z"])
        #expect(feed.process(.pause) == [])
        #expect(feed.process(.silence) == [.silence])
    }

    @Test func aSentenceWithoutFixIsSenseButIncompleteBytesAreNoise() {
        var feed = NMEAFeed(WeekRollover(notBefore: nil))
        #expect(feed.process(.bytes(Self.rmc("100000", status: "V"))) == [.validData([])])
        #expect(feed.process(.bytes(Array("$GPRMC,1000".utf8))) == [.noise])
        #expect(feed.process(.pause) == [])
    }

    @Test func skippedSentencesAreReportedOnce() {
        var feed = NMEAFeed(WeekRollover(notBefore: nil))
        var tally = Tally()
        tally.count("checksum")
        let damaged = Array("$GPRMC,100000,A*00\r\n".utf8)
        #expect(feed.process(.bytes(damaged)) == [.skipped(tally), .noise])
        #expect(feed.process(.bytes(damaged)) == [.skipped(tally), .noise])
        #expect(feed.process(.bytes(Self.rmc("100000"))) == [.validData([])])
    }

    @Test func theEndGivesTheLastFixAndRolledOverDatesAreCorrected() {
        var feed = NMEAFeed(WeekRollover(notBefore: CalendarDate(year: 2026, month: 1, day: 1)))
        #expect(feed.process(.bytes(Self.rmc("100000", date: "150906"))) == [.validData([])])
        #expect(times(feed.finish()) == ["2026-05-01T10:00:00.000Z"])
    }

    @Test func pausesAndSilenceAreReportedOnlyDuringARead() throws {
        let channel = EmbeddedChannel(handler: ByteInputHandler(idle: .seconds(30)))
        defer { _ = try? channel.finish() }
        let next: () throws -> ByteInput? = { try channel.readInbound(as: ByteInput.self) }
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(try next() == nil)

        channel.read()
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(29_999))
        #expect(try next() == nil)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(try next() == .silence)

        try channel.writeInbound(ByteBuffer(string: "a"))
        #expect(try next() == .bytes([UInt8(ascii: "a")]))
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(try next() == nil)

        channel.read()
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(99))
        #expect(try next() == nil)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(try next() == .pause)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(29_999))
        #expect(try next() == nil)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(30_001))
        #expect(try next() == .silence)
        #expect(try next() == .silence)
        #expect(try next() == nil)
    }

    @Test(arguments: [
        ("$A*1f", "$A*1f\n"), ("$A*1F\r\n", "$A*1F\r\n"), ("$A,5", "$A,5"), ("", ""), ("*1", "*1"), ("$A*1G", "$A*1G"),
        ("*0A", "*0A\n"),
    ])
    func aDatagramThatEndsWithAChecksumGetsItsLineEnd(sent: String, read: String) throws {
        let channel = EmbeddedChannel(handler: DatagramHandler())
        defer { _ = try? channel.finish() }
        let sender = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        try channel.writeInbound(AddressedEnvelope(remoteAddress: sender, data: ByteBuffer(string: sent)))
        #expect(try channel.readInbound(as: ByteBuffer.self).map { String(buffer: $0) } == read)
    }
}
