import Callers
import Daemon
import EventStream
import Foundation
import Glibc
import RPC
import SocketServer
import Synchronization
import TextCoding
import Time
import Tracking

/// Benchmarks of sending one line of 300 bytes to many subscribers, which one other process reads.
///
/// The time counts from publishing a line until the last subscriber has it.
enum FanOutBenchmark {
    static let all = [1, 100, 1000].map { subscribers in
        Benchmark(name: "uds-fanout-\(subscribers)", files: []) { _ in try await measure(subscribers) }
    }

    /// The length of a line, including what the server adds around an event.
    private static let lineLength = 300

    private static func measure(_ subscribers: Int) async throws {
        EventLoops.useOne()
        let scratch = try ScratchFolder()
        let journal = CountingJournal()
        let hub = try await EventHub(journal: journal)
        var methods = MethodTable<Principal>(title: "Benchmark", version: "1")
        methods.add(hub.methods())
        methods.declare(hub.notifications)
        let socket = scratch.file("socket")
        let server = try await SocketServer(path: socket, methods: methods, hub: hub) { _ in [.read] }
        let serving = Task { try await server.run() }
        let reader = try SubscriberProcess(of: socket, subscribers: subscribers)
        let rounds = max(200, 20_000 / subscribers)
        let (times, took) = try await offThePool {
            try reader.waitForRound()
            var times: [Duration] = []
            let watch = Stopwatch()
            for _ in 0..<rounds {
                let start = ContinuousClock.now
                hub.publish([journal.next()])
                try reader.waitForRound()
                times.append(ContinuousClock.now - start)
            }
            return (times, watch.elapsed)
        }
        reader.end()
        serving.cancel()
        try await serving.value
        Figures(workload: "uds-fanout-\(subscribers)", count: rounds * subscribers, took: took)
            .print { $0.percentiles(times) }
    }

    /// A journal that is never read, because all subscribers keep up.
    private final class CountingJournal: EventJournal {
        private let last = Atomic<Int64>(0)

        func bounds() async throws -> JournalBounds {
            JournalBounds(log: "benchmark", first: 1, last: last.load(ordering: .relaxed))
        }

        func read(after seq: Int64, limit: Int, for connection: Principal) async throws -> [EventRecord] {
            throw Workload.Damage(description: "a subscriber has fallen behind")
        }

        func next() -> EventRecord {
            let seq = last.add(1, ordering: .relaxed).newValue
            let around = #"{"jsonrpc":"2.0","method":"event","params":{"subscription":"s1","event":}}"#.utf8.count + 1
            let opening = #"{"seq":\#(seq),"type":"geofence.enter","title":""#
            let padding = String(repeating: "x", count: lineLength - around - opening.utf8.count - 2)
            return EventRecord(
                seq: seq, time: Timestamp(milliseconds: seq), type: "geofence.enter", device: nil, subject: nil,
                recipient: nil, line: Array("\(opening)\(padding)\"}".utf8))
        }
    }
}

/// A second process of this program, which reads many subscriptions.
struct SubscriberProcess {
    private let process = Process()
    private let output = Pipe()

    /// Starts the process, which reports a round once all have subscribed.
    init(of socket: String, subscribers: Int) throws {
        process.executableURL = OwnExecutable.url
        process.arguments = [socket, "--readers", String(subscribers)]
        process.standardOutput = output
        try process.run()
    }

    /// Waits until every subscriber has received another line.
    func waitForRound() throws {
        var byte: UInt8 = 0
        // The call fills the variable before it returns.
        guard unsafe Glibc.read(output.fileHandleForReading.fileDescriptor, &byte, 1) == 1 else {
            throw SystemFailure(call: "read")
        }
    }

    func end() {
        process.terminate()
        process.waitUntilExit()
    }

    /// Runs in the second process: reads a line of each subscriber and reports the round, until the process is ended.
    static func read(from socket: String, subscribers count: Int) throws {
        var limit = rlimit()
        // Both calls read or fill the variable before they return.
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = min(limit.rlim_max, rlim_t(count + 100))
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let subscribers = try (0..<count).map { _ in try SocketSubscriber(to: socket) }
        while true {
            var byte = UInt8(ascii: "!")
            // The call reads the variable before it returns.
            guard unsafe Glibc.write(STDOUT_FILENO, &byte, 1) == 1 else { return }
            for subscriber in subscribers { _ = try subscriber.line() }
        }
    }
}

extension SubscriberProcess: Sendable {}
