import NIOCore
import NIOEmbedded
import RPC
import Testing

@testable import SocketServer

@Suite struct LineReaderTests {
    private let channel = EmbeddedChannel()
    private let reader: LineReader
    private let quota = Quota(1_000)

    init() throws {
        reader = LineReader(channel.eventLoop)
        try channel.pipeline.syncOperations.addHandler(reader)
        reader.bounds = LineReader.Bounds(
            quota: ConnectionQuota(of: quota, allowance: 100), free: 100, growth: 10, interval: .seconds(10))
    }

    private func send(_ text: String) throws { try channel.writeInbound(ByteBuffer(string: text)) }

    /// A line that the reader delivered or will deliver.
    private final class Given {
        var line: InboundLine??

        init(_ future: EventLoopFuture<InboundLine?>) {
            future.assumeIsolated().whenSuccess { self.line = .some($0) }
        }

        var text: String? {
            if case .line(let bytes)?? = line { String(decoding: bytes, as: UTF8.self) } else { nil }
        }

        var error: RPCError? { if case .refused(let error)?? = line { error } else { nil } }
    }

    @Test func linesAreDeliveredOneAtATime() throws {
        try send("a\n\nbc\r\nde")
        let lines = (0..<3).map { _ in Given(reader.next()) }
        #expect(lines.map(\.text) == ["a", "bc", nil])
        try send("f\ng")
        #expect(lines[2].text == "def")
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(Given(reader.next()).text == "g")
        let end = Given(reader.next())
        #expect(end.line != nil && end.text == nil && end.error == nil)
    }

    @Test func linesAreChargedUntilTheyAreAnswered() throws {
        try send("\n\n\n" + String(repeating: "a", count: 600) + "\nbcd")
        // 607 bytes, 100 of them within the allowance.
        #expect(quota.reserve(493) && !quota.reserve(1))
        let line = Given(reader.next())
        // The bytes of line ends are returned.
        #expect(quota.reserve(4) && !quota.reserve(1))
        #expect(line.text?.count == 600)
        reader.bounds?.quota.release(600)
        #expect(reader.bounds?.quota.amount == 3)
    }

    @Test func beyondTheAllotmentTheRestIsDiscarded() throws {
        let line = Given(reader.next())
        try send(String(repeating: "a", count: 1_000))
        #expect(line.line == nil)
        try send(String(repeating: "a", count: 101))
        #expect(line.error?.code == .unavailable)
        #expect(reader.bounds?.quota.amount == 0)
        let rest = Given(reader.next())
        try send("b\n")
        #expect(rest.line == nil)
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(rest.line != nil && rest.text == nil)
    }

    @Test func anUnfinishedLongLineMustKeepGrowing() throws {
        let line = Given(reader.next())
        try send(String(repeating: "a", count: 100))
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        try send("a")
        for _ in 0..<20 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(9))
            try send("aaaaaaaaaa")
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        }
        #expect(line.line == nil)
        try send("aaaaaaaaa")
        channel.embeddedEventLoop.advanceTime(by: .seconds(10))
        #expect(line.error?.code == .unavailable)
    }

    @Test func aCompleteLineIsNoLongerTimed() throws {
        let long = String(repeating: "a", count: 500)
        for _ in 0..<3 {
            let line = Given(reader.next())
            try send(long)
            channel.embeddedEventLoop.advanceTime(by: .seconds(9))
            try send("\n")
            #expect(line.text == long)
            reader.bounds?.quota.release(500)
        }
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        let line = Given(reader.next())
        try send("b\n")
        #expect(line.text == "b")
    }
}
