import Deadlines
import Foundation
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import WebServer

/// Requests that no browser sends.
@Suite(.slow) struct HostileTests {
    /// Sends a text and returns the answer as text.
    private func send(_ text: String, to door: RunningDoor) async throws -> String {
        String(decoding: try await HTTPBytes.exchange(Array(text.utf8), port: door.port), as: UTF8.self)
    }

    /// Returns the number of answers in a text.
    private func count(_ text: String) -> Int { text.components(separatedBy: "HTTP/1.1 ").count - 1 }

    @Test func requestsForOtherHostsAreRefused() async throws {
        try await RunningDoor.run { door in
            for host in [
                "evil.example", "evil.example:\(door.port)", "localhost.evil.example", "127.0.0.1.evil.example",
            ] {
                let answer = try await door.ask("GET /healthz", ["Host: \(host)"])
                #expect(answer.status == 421)
            }
            let two = try await send(
                "GET /healthz HTTP/1.1\r\nHost: \(door.host)\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
                to: door)
            #expect(!two.contains(" 200 "))
            let none = try await send("GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", to: door)
            #expect(!none.contains(" 200 "))
        }
    }

    @Test(arguments: [
        "/../../etc/passwd", "/assets/../../etc/passwd", "/assets/%2e%2e/%2e%2e/etc/passwd",
        "/lib/..%2f..%2fetc/passwd",
        "/lib/leaflet/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/assets/x/..\\..\\etc\\passwd",
        "/tiles/0/../0",
        "/assets/%00", "http://evil.example/", "/photos/%2e%2e/1",
    ])
    func noPathReachesFilesOutsideThePages(_ path: String) async throws {
        try await RunningDoor.run { door in
            let answer = try await door.ask("GET \(path)")
            #expect([400, 404, 200].contains(answer.status))
            #expect(!answer.text.contains("root:"))
            if answer.status == 200 { #expect(answer.text.hasPrefix("<!doctype html>")) }
        }
    }

    @Test func headersAreLimitedInSizeAndNumber() async throws {
        try await RunningDoor.run { door in
            let long = try await send(
                "GET /healthz HTTP/1.1\r\nHost: \(door.host)\r\nX: \(String(repeating: "a", count: 20_000))\r\n\r\n",
                to: door)
            #expect(!long.contains(" 200 "))
            let many = (0..<200).map { "X\($0): a\r\n" }.joined()
            let crowd = try await send("GET /healthz HTTP/1.1\r\nHost: \(door.host)\r\n\(many)\r\n", to: door)
            #expect(!crowd.contains(" 200 "))
        }
    }

    /// A request that hides another one.
    ///
    /// A proxy before the door must not see fewer requests than the door does.
    @Test(arguments: [
        "Content-Length: 6\r\nTransfer-Encoding: chunked", "Content-Length: 3\r\nContent-Length: 9",
        "Transfer-Encoding: xchunked", "Transfer-Encoding: chunked, identity", "Content-Length: +3",
        "Content-Length: -1",
        "Content-Length : 3", "Transfer-Encoding : chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
    ])
    func requestsCannotBeSmuggled(_ fields: String) async throws {
        try await RunningDoor.run { door in
            let hidden = "GET /hidden HTTP/1.1\r\nHost: \(door.host)\r\nConnection: close\r\n\r\n"
            let answer = try await send(
                "POST /rpc HTTP/1.1\r\nHost: \(door.host)\r\nContent-Type: application/json\r\n\(fields)\r\n\r\n0\r\n\r\n\(hidden)",
                to: door)
            #expect(!answer.contains(" 200 OK\r\nETag"), "\(answer)")
            #expect(count(answer) <= 1, "\(answer)")
        }
    }

    @Test func aGetRequestWithABodyIsRefused() async throws {
        try await RunningDoor.run { door in
            let answer = try await send(
                "GET /healthz HTTP/1.1\r\nHost: \(door.host)\r\nContent-Length: 5\r\n\r\nGET /", to: door)
            #expect(count(answer) == 1)
            #expect(answer.hasPrefix("HTTP/1.1 400"))
        }
    }

    @Test func aSlowRequestBodyTimesOut() async throws {
        let clock = HandClock()
        try await RunningDoor.run(clock: clock) { door in
            let answer = try await HTTPBytes.open(port: door.port) { inbound, outbound in
                let head =
                    "POST /rpc HTTP/1.1\r\nHost: \(door.host)\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
                try await outbound.write(ByteBuffer(string: head))
                // The door waits on its keep-alive timer and for the body.
                await clock.waitUntil(sleepers: 2)
                clock.advance(by: WebServer.Limits().bodyTime)
                var text = ""
                do {
                    for try await piece in inbound {
                        text += String(buffer: piece)
                        if text.contains("\r\n\r\n") { break }
                    }
                } catch  where !text.isEmpty {}
                return text
            }
            #expect(answer.hasPrefix("HTTP/1.1 408"))
            #expect(answer.lowercased().contains("connection: close"))
        }
    }

    @Test func oneAddressCannotTakeAllConnections() async throws {
        var limits = WebServer.Limits()
        limits.connections = 8
        try await RunningDoor.run(limits: limits) { door in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<40 {
                    group.addTask {
                        let answer = try? await door.ask("GET /healthz")
                        return answer?.status == 200
                    }
                }
                let served = try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                #expect(served >= 1)
            }
            #expect(door.door.connectionCount <= limits.connections)
        }
        try await RunningDoor.run(limits: limits) { door in
            let answer = try await door.ask("GET /healthz")
            #expect(answer.status == 200)
        }
    }

    /// Limits for few connections, under which each port of this machine counts as another machine.
    private static var crowded: WebServer.Limits {
        var limits = WebServer.Limits()
        limits.connections = 40
        limits.addressOfPeer = { channel in
            let port = channel.remoteAddress?.port ?? 0
            return IPAddress("10.0.\(port / 256).\(port % 256)")
        }
        return limits
    }

    @Test(arguments: ["", "GET / HTTP/1.1\r\nHost: a", "POST /rpc HTTP/1.1\r\nHost: HOST\r\nContent-Length: 9\r\n\r\n"])
    func unfinishedRequestsFromManyAddressesLockNobodyOut(_ beginning: String) async throws {
        let limits = Self.crowded
        try await RunningDoor.run(limits: limits) { door in
            let bytes = beginning.replacing("HOST", with: door.host)
            var slow: [any Channel] = []
            for _ in 0..<3 * limits.connections {
                let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .connect(host: "127.0.0.1", port: door.port).get()
                channel.writeAndFlush(ByteBuffer(string: bytes), promise: nil)
                slow.append(channel)
                if slow.count % limits.connections == 0 {
                    let answer = try await door.ask("GET /healthz")
                    #expect(answer.status == 200)
                }
            }
            #expect(door.door.connectionCount <= limits.connections)
            for channel in slow { try? await channel.close().get() }
        }
    }

    @Test func everyDeadlineEndsWithItsCall() async throws {
        let clock = DeadlineClock()
        try await RunningDoor.run(clock: clock) { door in
            let call = #"{"jsonrpc":"2.0","id":1,"method":"nonsense"}"#
            let request =
                "POST /rpc HTTP/1.1\r\nHost: \(door.host)\r\nContent-Type: application/json\r\nContent-Length: \(call.utf8.count)\r\n\r\n\(call)"
            let end = "GET /healthz HTTP/1.1\r\nHost: \(door.host)\r\nConnection: close\r\n\r\n"
            let answers = try await send(String(repeating: request, count: 500) + end, to: door)
            #expect(count(answers) == 501)
            // The heartbeat of event streams is the only thing that may still wait.
            #expect(clock.sleepers <= 1)
        }
        #expect(clock.sleepers == 0)
    }

    /// Requests that are damaged at random never stop the door.
    @Test(arguments: 1...(TestTier.isSoak ? 2_000 : 4) as ClosedRange<UInt64>)
    func damagedRequestsDoNotStopTheDoor(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed &+ TestTier.seed)
        var limits = WebServer.Limits()
        // The door waits for the rest of a request that is unfinished.
        (limits.idle, limits.bodyTime, limits.lingering) = (.milliseconds(20), .milliseconds(20), .milliseconds(20))
        try await RunningDoor.run(limits: limits) { door in
            for _ in 0..<100 {
                let bytes = DamagedRequest.make(for: door.host, using: &random)
                _ = try? await HTTPBytes.open(port: door.port) { inbound, outbound in
                    try? await outbound.write(ByteBuffer(bytes: bytes))
                    outbound.finish()
                    // An event stream would last, so the beginning of an answer is enough.
                    for try await _ in inbound { break }
                }
            }
            // On a busy machine the door ends a connection whose request takes longer than that.
            var status: Int?
            for _ in 0..<100 where status == nil { status = try? await door.ask("GET /healthz").status }
            #expect(status == 200)
        }
    }

    @Test func metricsAreNotPublicAndTokensDoNotLeak() async throws {
        try await RunningDoor.run { door in
            let metrics = try await door.ask("GET /metrics")
            #expect(metrics.status == 404)
            let shared = try await door.ask("GET /s/a_secret_token")
            #expect(shared.fields["referrer-policy"] == "no-referrer")
            #expect(!shared.text.contains("a_secret_token"))
        }
    }
}

/// Requests as a browser or a program sends them, with some bytes changed.
private enum DamagedRequest {
    private static let requests = [
        "GET /events?after=none:0&types=trip.*,position HTTP/1.1\r\nHost: HOST\r\nLast-Event-ID: none:9223372036854775807\r\n\r\n",
        "GET /events HTTP/1.1\r\nHost: HOST\r\nLast-Event-ID: a:b:-1\r\nCookie: waymark=abc\r\n\r\n",
        "GET /assets/main.js HTTP/1.1\r\nHost: HOST\r\nRange: bytes=0-9\r\nIf-None-Match: \"x\", W/\"y\"\r\n\r\n",
        "POST /rpc HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nCookie: a=b; waymark=c\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]",
        "POST /rpc HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":\r\n2\r\n1}\r\n0\r\n\r\n",
        "POST /photos?subject=sight/a&caption=%C3%A9 HTTP/1.1\r\nHost: HOST\r\nContent-Type: image/png\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n\u{89}PN",
        "OPTIONS * HTTP/1.0\r\nHost: HOST\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ]
    private static let pieces = [
        "\r\n", "\n", "\0", "\r\n\r\n", ":", " ", "chunked", "FFFFFFFFFFFFFFFF\r\n", "-1", "99999999999999999999",
        "%00",
        "%", "HTTP/1.1", "GET / ", "Content-Length: 5\r\n", "Host: \r\n", "\u{FEFF}", "[::1]", "bytes=", ";", "=", "\"",
    ]

    static func make(for host: String, using random: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let request = requests.randomElement(using: &random) ?? ""
            bytes += Array(request.replacing("HOST", with: host).utf8)
        }
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(contentsOf: (pieces.randomElement(using: &random) ?? "").utf8, at: place)
            default: bytes.removeSubrange(place..<min(bytes.count, place + 40))
            }
        }
        return bytes
    }
}

/// A clock that stands still until a test advances it.
final class HandClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Int: (Instant, CheckedContinuation<Void, any Error>)] = [:]
        var cancelled: Set<Int> = []
        var count = 0
        var watchers: [(Int, CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (isDone, watchers) = state.withLock { state -> (Bool, [CheckedContinuation<Void, Never>]) in
                    guard !state.cancelled.contains(number), deadline > state.now else { return (true, []) }
                    state.sleepers[number] = (deadline, continuation)
                    let due = state.watchers.filter { $0.0 <= state.sleepers.count }.map(\.1)
                    state.watchers.removeAll { $0.0 <= state.sleepers.count }
                    return (false, due)
                }
                if isDone { continuation.resume(throwing: CancellationError()) }
                for watcher in watchers { watcher.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.cancelled.insert(number)
                return state.sleepers.removeValue(forKey: number)
            }
            sleeper?.1.resume(throwing: CancellationError())
        }
    }

    /// Waits until that many tasks sleep.
    func waitUntil(sleepers: Int) async {
        await withCheckedContinuation { continuation in
            let isDue = state.withLock { state in
                guard state.sleepers.count < sleepers else { return true }
                state.watchers.append((sleepers, continuation))
                return false
            }
            if isDue { continuation.resume() }
        }
    }

    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.0 <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.map(\.1)
        }
        for sleeper in due { sleeper.resume() }
    }
}
