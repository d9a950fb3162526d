import Foundation
import Glibc
import RPC
import TestSupport
import Testing

/// A thousand subscribers, a hundred of which never read.
@Suite(.slow) struct CrowdTests {
    private static let readers = 900
    private static let sleepers = 100
    /// The most memory that the daemon may use, in kilobytes; a thorough run prints the actual figures.
    private static let greatestMemory = 200_000

    @Test(.timeLimit(.minutes(10)))
    func readersGetEveryEventInOrderAndStalledOnesCostLittle() async throws {
        // Each place causes twice as many events as it has sights.
        let drive = TestTier.isSoak ? Drive(places: 400, sightsAtOnce: 8) : Drive(places: 25, sightsAtOnce: 8)
        let folder = try TemporaryFolder()
        let file = try await drive.prepare(in: folder)
        let daemon = try await RunningDaemon(in: folder)
        let path = daemon.socket
        let (idle, heard, stats) = try await offThePool {
            let crowd = try Crowd(at: path, readers: Self.readers, sleepers: Self.sleepers)
            let idle = daemon.memory
            try daemon.configure("sources: [\"car=\(file)?speed=max\"]\n")
            daemon.send(SIGHUP)
            let heard = try crowd.hear(until: #""type":"source.offline""#)
            return try withExtendedLifetime(crowd) {
                (idle, heard, try LineSocket(to: path).call("server.stats")["result"]?["subscribers"])
            }
        }
        #expect(stats?["subscriptions"]?.whole == Int64(Self.readers + Self.sleepers))
        let memory = daemon.memory
        TestTier.report(
            "\(heard.count) bytes to each: \(idle) kB idle, \(memory) kB after; \(String(describing: stats))")
        daemon.expectMemory(below: Self.greatestMemory)
        #expect(try await daemon.stop() == .exit(0))

        let start = Array(#"{"jsonrpc":"2.0","method":"event","params":{"subscription":"s1","event":"#.utf8)
        let lines = try StoreCopy(of: daemon.store).events.map { start + $0.body + Array("}}\n".utf8) }
        #expect(lines.count > 400)
        #expect(heard == Array(lines.joined()))
    }
}

/// Subscribers to the same events, read on one thread.
///
/// All of them must receive the same bytes, so the first bytes that any of them receives are what the others must
/// receive.
private struct Crowd {
    private let readers: [LineSocket]
    private let sleepers: [LineSocket]

    init(at path: String, readers: Int, sleepers: Int) throws {
        let all = try (0..<(readers + sleepers)).map { _ in try LineSocket(to: path) }
        for socket in all {
            let answer = try socket.call("events.subscribe")
            guard answer["result"]?["next"] == 1 else { throw LineSocket.Failure(description: "\(answer)") }
        }
        self.readers = Array(all[..<readers])
        self.sleepers = Array(all[readers...])
    }

    /// Reads until every reader has received the line that contains `text`.
    ///
    /// - Returns: The bytes that each of them has received.
    /// - Throws: `LineSocket.Failure` if one receives other bytes, or nothing more until the deadline.
    func hear(until text: String) throws -> [UInt8] {
        var heard: [UInt8] = []
        var whole: Int?
        var places = [Int](repeating: 0, count: readers.count)
        var requests = readers.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        var waiting = readers.count
        while waiting > 0 {
            let limit = Int32(RunningDaemon.deadline / .milliseconds(1))
            // `poll` uses the array only during the call.
            guard unsafe poll(&requests, nfds_t(requests.count), limit) > 0 else {
                throw LineSocket.Failure(description: "\(waiting) of the crowd hear nothing more")
            }
            for index in requests.indices where requests[index].revents != 0 {
                guard let piece = try readers[index].piece() else {
                    throw LineSocket.Failure(description: "a subscriber was cut off")
                }
                let end = places[index] + piece.count
                let known = min(end, heard.count) - places[index]
                guard Self.same(heard[places[index]...].prefix(known), piece.prefix(known)) else {
                    throw LineSocket.Failure(description: "one heard other bytes than another")
                }
                places[index] = end
                if known < piece.count {
                    heard += piece.dropFirst(known)
                    let last = Array(heard[max(0, end - 1024)...])
                    if last.last == 0x0A, last.contains(text) { whole = end }
                }
                if end == whole {
                    requests[index].fd = -1
                    waiting -= 1
                }
            }
        }
        return heard
    }

    /// Returns whether the bytes are the same.
    ///
    /// It uses `memcmp`, because a run compares hundreds of megabytes.
    private static func same(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
        // Both slices have the same length, and the call uses their pointers only while it runs.
        unsafe one.withUnsafeBytes { one in
            unsafe other.withUnsafeBytes { other in
                guard let first = one.baseAddress, let second = other.baseAddress else { return true }
                return unsafe memcmp(first, second, one.count) == 0
            }
        }
    }
}

extension RunningDaemon {
    /// The daemon's resident memory in kilobytes (`VmRSS`, proc(5)).
    var memory: Int {
        let status = (try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(separator: " ").dropFirst().first).flatMap { Int($0) }.known
    }

    /// Checks that the daemon's resident memory is below a number of kilobytes, unless a sanitizer multiplies it.
    func expectMemory(below limit: Int) {
        #expect(memory < limit || ChildProcess.isSanitized)
    }
}
