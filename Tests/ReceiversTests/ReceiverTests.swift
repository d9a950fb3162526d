import Foundation
import NIOCore
import NIOPosix
import Positioning
import Synchronization
import TestSupport
import Testing
import Time

@testable import Receivers

/// The reports of a running receiver, one after another.
struct Reports: ~Copyable {
    private var iterator: AsyncStream<ReceiverReport>.AsyncIterator
    private let task: Task<Void, Never>

    init(_ receiver: Receiver) {
        let (stream, continuation) = AsyncStream.makeStream(of: ReceiverReport.self)
        iterator = stream.makeAsyncIterator()
        task = Task {
            await receiver.run { reports in
                for report in reports { continuation.yield(report) }
            }
            continuation.finish()
        }
    }

    mutating func next() async -> ReceiverReport? { await iterator.next(isolation: #isolation) }

    /// Returns the next report as short text, with fixes as their times.
    mutating func text() async -> String {
        switch await next() {
        case .fixes(let fixes, let device)?:
            "\(device) " + fixes.map { $0.time?.description ?? "-" }.joined(separator: " ")
        case .online(let device)?: "\(device) online"
        case .offline(let device, let reason)?: "\(device) offline: \(reason)"
        case .stillOffline(let device, let reason)?: "\(device) still offline: \(reason)"
        case .skipped(let tally)?: "skipped " + tally.sorted.map { "\($0.reason) \($0.count)" }.joined(separator: " ")
        case .notice(let text, let device)?: "\(device) notice: \(text)"
        case .ended(let device)?: "\(device) ended"
        case nil: "nothing"
        }
    }

    /// Cancels the receiver and waits until it has ended.
    consuming func end() async {
        task.cancel()
        await task.value
    }
}

/// A clock on which each wait is over at once and moves the time on by its length.
final class LeapingClock: Sendable {
    private let now = Mutex(ContinuousClock.now)
    private let list = Mutex<[Duration]>([])

    /// Waits of this length or longer never end.
    private let endless: Duration

    init(endless: Duration = .seconds(1_000_000)) { self.endless = endless }

    /// The length of each wait so far.
    var waits: [Duration] { list.withLock { $0 } }

    var timing: Timing {
        Timing(
            now: { self.now.withLock { $0 } },
            sleep: { duration in
                try Task.checkCancellation()
                if duration >= self.endless { try await Task.sleep(for: .seconds(1_000_000)) }
                await Task.yield()
                self.list.withLock { $0.append(duration) }
                self.now.withLock { $0 += duration }
            },
            random: { 0.5 })
    }
}

/// A server that sends a text to each client, and then keeps the connection or closes it.
final class Server: Sendable {
    let channel: any Channel
    var port: Int { channel.localAddress?.port ?? 0 }

    init(saying text: String, thenEnds: Bool, port: Int = 0) async throws {
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let said = channel.writeAndFlush(ByteBuffer(string: text))
                    if thenEnds { said.whenComplete { _ in channel.close(promise: nil) } }
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
    }

    func end() async throws { try await channel.close() }
}

@Suite(.timeLimit(.minutes(1))) struct ReceiverTests {
    private static let first = "gps 2026-05-01T10:00:00.000Z"
    private static let second = "gps 2026-05-01T10:00:01.000Z"

    private func receiver(
        _ url: String, notBefore: CalendarDate? = nil, clock: LeapingClock = LeapingClock()
    ) throws -> Receiver {
        Receiver(name: "gps", address: try ReceiverAddress(url), notBefore: notBefore, timing: clock.timing)
    }

    @Test func aServerThatClosesTheConnectionIsReconnected() async throws {
        let server = try await Server(saying: RecordingTests.nmea, thenEnds: true)
        var reports = Reports(try receiver("tcp://127.0.0.1:\(server.port)"))
        for _ in 0..<3 {
            #expect(await reports.text() == "gps online")
            #expect(await reports.text() == Self.first)
            #expect(await reports.text() == Self.second)
            #expect(await reports.text() == "gps offline: it closed the connection")
        }
        await reports.end()
        try await server.end()
    }

    @Test func aPauseEndsTheLastEpoch() async throws {
        let server = try await Server(saying: RecordingTests.nmea, thenEnds: false)
        var reports = Reports(try receiver("tcp://127.0.0.1:\(server.port)"))
        #expect(await reports.text() == "gps online")
        #expect(await reports.text() == Self.first)
        #expect(await reports.text() == Self.second)
        await reports.end()
        try await server.end()
    }

    @Test func aRefusedConnectionIsReportedOnceAndRetriedWithBackoff() async throws {
        let server = try await Server(saying: RecordingTests.nmea, thenEnds: false)
        let port = server.port
        try await server.end()
        let clock = LeapingClock()
        var reports = Reports(try receiver("tcp://127.0.0.1:\(port)", clock: clock))
        #expect(await reports.text() == "gps offline: refused")
        while clock.waits.count < 6 { await Task.yield() }
        let again = try await Server(saying: RecordingTests.nmea, thenEnds: false, port: port)
        #expect(await reports.text() == "gps online")
        await reports.end()
        try await again.end()
        #expect(clock.waits.prefix(6).map { $0 / .seconds(1) } == [0.5, 1, 2, 4, 5, 5])
    }

    @Test func aHostWithoutAddressIsOffline() async throws {
        var reports = Reports(try receiver("tcp://nothing.invalid:1"))
        #expect(await reports.text() == "gps offline: the host name cannot be resolved")
        await reports.end()
    }

    @Test func aSilentServerGoesOffline() async throws {
        let server = try await Server(saying: "", thenEnds: false)
        let source = ReceiverAddress.Source.tcp(host: "127.0.0.1", port: UInt16(server.port))
        let address = ReceiverAddress(source, idle: .milliseconds(1))
        var reports = Reports(Receiver(name: "gps", address: address, timing: LeapingClock().timing))
        #expect(await reports.text() == "gps offline: silent for 0.001 s")
        await reports.end()
        try await server.end()
    }

    @Test func rolledOverDatesAreCorrectedIfADateIsGiven() async throws {
        let sentence = "GPRMC,100000,A,5206.0000,N,00406.0000,E,10.0,45.5,150906,,,A"
        let server = try await Server(saying: RecordingTests.sentence(sentence), thenEnds: false)
        let address = "tcp://127.0.0.1:\(server.port)"
        var reports = Reports(try receiver(address, notBefore: CalendarDate(year: 2026, month: 1, day: 1)))
        #expect(await reports.text() == "gps online")
        #expect(await reports.text() == Self.first)
        await reports.end()
        try await server.end()
    }

    @Test func datagramsOfAnySenderAreRead() async throws {
        let opened = await NMEAConnection.udp(host: "127.0.0.1", port: 0, idle: .seconds(30))
        let connection = try opened.get()
        let address = try #require(connection.channel.localAddress)
        let heard = Mutex<[ReceiverInput]>([])
        let sender = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        for line in RecordingTests.nmea.split(separator: "\r\n") {
            let datagram = AddressedEnvelope(remoteAddress: address, data: ByteBuffer(string: String(line)))
            try await sender.writeAndFlush(datagram)
        }
        _ = await connection.run(WeekRollover(notBefore: nil)) { inputs in
            heard.withLock {
                $0 += inputs
                return $0.flatMap { if case .validData(let fixes, _) = $0 { fixes } else { [Fix]() } }.count < 2
                    ? .taken(.goOn) : .taken(.stop)
            }
        }
        let times = heard.withLock { $0 }.flatMap { input -> [String?] in
            if case .validData(let fixes, "127.0.0.1") = input { fixes.map { $0.time?.description } } else { [] }
        }
        #expect(times == ["2026-05-01T10:00:00.000Z", "2026-05-01T10:00:01.000Z"])
        try await sender.close()
    }

    @Test func aPortInUseIsReportedAsOffline() async throws {
        let other = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        var reports = Reports(try receiver("udp://127.0.0.1:\(try #require(other.localAddress?.port))"))
        #expect(await reports.text() == "gps offline: another program listens there")
        await reports.end()
        try await other.close()
    }

    @Test func aSerialPortIsReadUntilItIsUnplugged() async throws {
        var terminal: PseudoTerminal? = PseudoTerminal()
        let path = try #require(terminal?.path)
        var reports = Reports(try receiver("nmea:\(path)?baud=38400"))
        while terminal?.isRaw == false { await Task.yield() }
        terminal?.send(RecordingTests.nmea)
        #expect(await reports.text() == "gps online")
        #expect(await reports.text() == Self.first)
        #expect(terminal?.hasReceived == false)
        terminal = nil
        var last = await reports.text()
        while !last.hasPrefix("gps offline") { last = await reports.text() }
        #expect(last == "gps offline: unplugged")
        await reports.end()
    }

    @Test func aMissingSerialPortIsOfflineUntilItAppears() async throws {
        let folder = try TemporaryFolder()
        let terminal = PseudoTerminal()
        var reports = Reports(try receiver("nmea:\(folder.file("port"))"))
        #expect(await reports.text() == "gps offline: there is no such device")
        try FileManager.default.createSymbolicLink(atPath: folder.file("port"), withDestinationPath: terminal.path)
        while !terminal.isRaw { await Task.yield() }
        terminal.send(RecordingTests.nmea)
        #expect(await reports.text() == "gps online")
        await reports.end()
    }

    @Test(arguments: ["tcp://127.0.0.1:1", "gpsd://127.0.0.1:1", "nmea:/nowhere/port", "udp://192.0.2.1:9"])
    func anUnreachableReceiverIsOfflineAndCanBeCancelled(url: String) async throws {
        var reports = Reports(try receiver(url))
        #expect(await reports.text().hasPrefix("gps offline: "))
        await reports.end()
    }

    @Test func reportsComeOneAfterAnother() async throws {
        let text = RehearsalTests.text(seconds: Array(0..<20_000))
        let server = try await Server(saying: text, thenEnds: false)
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let running = Mutex(0)
        let most = Mutex(0)
        let task = Task { [receiver = try receiver("tcp://127.0.0.1:\(server.port)")] in
            await receiver.run { _ in
                let now = running.withLock {
                    $0 += 1
                    return $0
                }
                most.withLock { $0 = max($0, now) }
                opener.yield()
                await Task.yield()
                running.withLock { $0 -= 1 }
            }
        }
        var count = 0
        for await _ in gate {
            count += 1
            if count == 20 { break }
        }
        task.cancel()
        await task.value
        try await server.end()
        #expect(most.withLock { $0 } == 1)
    }

    @Test func onceReadsOneConnection() async throws {
        let server = try await Server(saying: RecordingTests.nmea + "$GPRMC,1*00\r\n", thenEnds: true)
        let count = Mutex(0)
        let receiver = try receiver(
            "tcp://127.0.0.1:\(server.port)", notBefore: CalendarDate(year: 2030, month: 1, day: 1))
        let skipped = try await receiver.once { fixes, device in
            #expect(device == "gps")
            for fix in fixes { #expect(fix.time?.description.hasPrefix("2026-05-01") == true) }
            count.withLock { $0 += fixes.count }
        }
        #expect(count.withLock { $0 } == 2)
        #expect(skipped.sorted.map(\.reason) == ["checksum"])
        try await server.end()
        // Another program may already listen at the server's port, but none does at port 1.
        let nobody = try self.receiver("tcp://127.0.0.1:1")
        let error = await #expect(throws: ReceiverError.self) { _ = try await nobody.once { _, _ in } }
        #expect(error?.description == "refused")
    }

    @Test func onceEndsWithSilence() async throws {
        let silent = ReceiverAddress(.udp(host: "127.0.0.1", port: 0), idle: .milliseconds(1))
        let error = await #expect(throws: ReceiverError.self) {
            _ = try await Receiver(name: "gps", address: silent).once { _, _ in }
        }
        #expect(error?.description == "silent for 0.001 s")
    }

    @Test func onceThrowsWhatItsListenerThrows() async throws {
        struct Enough: Error {}
        let server = try await Server(saying: RecordingTests.nmea, thenEnds: false)
        let receiver = try receiver("tcp://127.0.0.1:\(server.port)")
        await #expect(throws: Enough.self) { _ = try await receiver.once { _, _ in throw Enough() } }
        try await server.end()
    }
}
