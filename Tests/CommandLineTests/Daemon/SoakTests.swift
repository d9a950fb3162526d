import Foundation
import Glibc
import TestSupport
import Testing

/// A receiver that sends ten times a second to a thousand subscribers, of which a hundred never read and a hundred read
/// little.
///
/// By default it runs briefly, as fast as it can, for a quarter of these. With `SOAK` it runs in real time for that many
/// minutes, and with `WAYMARK_TESTS=soak` for 60.
@Suite(.slow) struct SoakTests {
    private static let minutes =
        ProcessInfo.processInfo.environment["SOAK"].flatMap(Int.init) ?? (TestTier.isSoak ? 60 : nil)
    private static let epochs = minutes.map { $0 * 600 } ?? 120

    @Test(.timeLimit(.minutes(180)))
    func memoryDescriptorsAndLatencyDoNotGrow() async throws {
        let feed = try Datagrams(to: FreePort.udp())
        let daemon = try await RunningDaemon(in: TemporaryFolder(), sources: ["car=udp://127.0.0.1:\(feed.port)"])
        let samples = try await offThePool {
            let audience = try Audience(at: daemon.socket, of: Self.minutes == nil ? 250 : 1_000)
            var samples: [Sample] = []
            var latencies: [Duration] = []
            var walk = Walk()
            let start = ContinuousClock.now
            for epoch in 1...Self.epochs {
                if Self.minutes != nil { Self.sleep(until: start + .milliseconds(100) * epoch) }
                let sent = ContinuousClock.now
                feed.send(walk.next())
                // From the first epochs the daemon learns where an epoch ends.
                if try audience.hears(), epoch > 10 { latencies.append(.now - sent) }
                audience.readOn(slowToo: epoch % 20 == 0)
                guard epoch % max(20, Self.epochs / 30) == 0 else { continue }
                samples.append(Sample(of: daemon, latencies))
                latencies = []
                if Self.minutes != nil { print("\(epoch) epochs: \(samples[samples.count - 1])") }
            }
            return samples
        }
        let third = samples.count / 3
        let (before, after) = (samples[third..<(2 * third)], samples[(2 * third)...])
        let (memory, later) = (try #require(before.map(\.memory).max()), try #require(after.map(\.memory).max()))
        #expect(later < memory + memory / 10 + 4_096, "\(samples)")
        #expect(after.allSatisfy { abs($0.descriptors - before[third].descriptors) <= 4 }, "\(samples)")
        if Self.minutes != nil {
            let (usual, last) = (before.map(\.latency).sorted()[third / 2], after.map(\.latency).sorted()[third / 2])
            #expect(last < usual * 2 + .milliseconds(20), "\(samples)")
            let growth = before[2 * third - 1].store - before[third].store
            #expect(after[samples.count - 1].store - after[2 * third].store < 2 * growth + (1 << 20), "\(samples)")
        }
        #expect(samples.allSatisfy { $0.heard > 0 })
        #expect(try await daemon.stop() == .exit(0))
    }

    private static func sleep(until end: ContinuousClock.Instant) {
        let left = ContinuousClock.now.duration(to: end)
        if left > .zero { usleep(UInt32(left / .microseconds(1))) }
    }
}

/// The state of the daemon at one moment.
private struct Sample: CustomStringConvertible {
    let memory: Int
    let descriptors: Int
    let store: Int
    let heard: Int
    /// The latency that 99 of 100 events do not exceed.
    let latency: Duration

    init(of daemon: RunningDaemon, _ latencies: [Duration]) {
        memory = daemon.memory
        descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon.processID)/fd").count) ?? 0
        store = ["", "-wal"].reduce(0) { sum, ending in
            let attributes = try? FileManager.default.attributesOfItem(atPath: daemon.store + ending)
            return sum + (attributes?[.size] as? Int ?? 0)
        }
        heard = latencies.count
        latency = latencies.sorted().dropLast(latencies.count / 100).last ?? .zero
    }

    var description: String {
        "\(memory) kB, \(descriptors) descriptors, store \(store / 1024) KiB, \(heard) heard, p99 \(latency)"
    }
}

/// Subscribers to all events, read on one thread.
private struct Audience {
    private let first: LineSocket
    private let quick: [LineSocket]
    private let slow: [LineSocket]
    private let dead: [LineSocket]

    /// Subscribes, of which a tenth will read little, and a tenth nothing.
    init(at path: String, of count: Int) throws {
        func subscribe() throws -> LineSocket {
            let socket = try LineSocket(to: path)
            try socket.call("events.subscribe", #"{"types":["*"]}"#)
            return socket
        }
        first = try subscribe()
        quick = try (1..<count * 8 / 10).map { _ in try subscribe() }
        slow = try (0..<count / 10).map { _ in try subscribe() }
        dead = try (0..<count / 10).map { _ in try subscribe() }
    }

    /// Returns whether the first of the quick subscribers receives something within a second.
    func hears() throws -> Bool {
        var request = pollfd(fd: first.descriptor, events: Int16(POLLIN), revents: 0)
        // The request is filled during the call.
        guard unsafe poll(&request, 1, 1_000) > 0 else { return false }
        guard try first.piece() != nil else { throw LineSocket.Failure(description: "the daemon has gone") }
        return true
    }

    /// Reads all that has come for the quick subscribers and, if `slowToo`, a little for the slow ones.
    func readOn(slowToo: Bool) {
        for socket in quick { while socket.read(atMost: 1 << 16) == 1 << 16 {} }
        if slowToo { for socket in slow { _ = socket.read(atMost: 200) } }
    }
}

extension LineSocket {
    /// Reads and discards what has come.
    ///
    /// - Returns: The number of bytes; 0 or less if there are none.
    fileprivate func read(atMost count: Int) -> Int {
        var piece = [UInt8](repeating: 0, count: count)
        // The array is filled during the call.
        return unsafe recv(descriptor, &piece, count, Int32(MSG_DONTWAIT))
    }
}
