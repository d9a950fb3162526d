#if Companion
import Foundation
import Glibc
import TestSupport
import Testing

/// Calls that follow each other on a few connections without a pause, which anybody who reaches the door can make.
///
/// `WAYMARK_TESTS=soak` makes 600,000 of them, which is a minute at 10,000 a second, and prints figures.
@Suite(.slow) struct PipelinedCallsTests {
    private static let connections = 6
    private static let calls = TestTier.isSoak ? 600_000 : 24_000
    /// The number of calls that a connection has under way.
    private static let ahead = 20
    /// The most memory that the calls may add, in kilobytes.
    private static let mostAdded = 10_000

    @Test func callsThatAreAnsweredLeaveNoMemoryBehind() async throws {
        let folder = try TemporaryFolder()
        let port = try FreePort.tcp()
        let daemon = try await RunningDaemon(in: folder, configuration: "web:\n  listen: 127.0.0.1:\(port)\n")
        // The first calls fill what stays in use, such as the allocator's pools of each thread.
        try await Self.call(1_200, port)
        let before = daemon.memory
        let start = ContinuousClock.now
        try await Self.call(Self.calls, port)
        let time = (ContinuousClock.now - start) / .seconds(1)
        TestTier.report("\(Self.calls) calls in \(time) s: \(before) kB before, \(daemon.memory) kB after")
        daemon.expectMemory(below: before + Self.mostAdded)
        let ending = try await daemon.stop()
        #expect(ending == .exit(0))
    }

    /// Makes calls of an unknown method on all connections, and reads every answer.
    private static func call(_ count: Int, _ port: UInt16) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<connections {
                group.addTask { try await offThePool { try call(count / connections, on: port) } }
            }
            try await group.waitForAll()
        }
    }

    private static func call(_ count: Int, on port: UInt16) throws {
        let body = #"{"jsonrpc":"2.0","id":1,"method":"nonsense"}"#
        let request = Array(
            "POST /rpc HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                .utf8)
        let batch = Array(repeatElement(request, count: ahead).joined())
        let socket = try Descriptor(AF_INET, SOCK_STREAM)
        try socket.connect(port: port)
        // Each answer ends with its only line feed that follows a brace.
        let end = Array("}\n".utf8)
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        var isAfterBrace = false
        for _ in 0..<(count / ahead) {
            try socket.send(batch)
            var answered = 0
            while answered < ahead {
                // The call fills the array before it returns.
                let received = unsafe recv(socket.number, &piece, piece.count, 0)
                guard received > 0 else { throw Descriptor.Failure(call: "recv") }
                for byte in piece[..<received] {
                    if isAfterBrace, byte == end[1] { answered += 1 }
                    isAfterBrace = byte == end[0]
                }
            }
        }
    }
}
#endif
