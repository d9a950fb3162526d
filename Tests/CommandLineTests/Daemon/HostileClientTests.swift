import Foundation
import Glibc
import RPC
import TestSupport
import Testing

/// Clients that misbehave by mistake or malice while a well-behaved one listens.
@Suite(.slow) struct HostileClientTests {
    /// Runs `body` against a daemon with input, and checks that a subscriber beside it misses no event.
    private static func withListener(_ body: @Sendable @escaping (RunningDaemon) throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let file = try await Drive(places: 20).prepare(in: folder)
        let daemon = try await RunningDaemon(in: folder, sources: ["car=\(file)?speed=2000"])
        let path = daemon.socket
        async let told = offThePool { try LineSocket(to: path).allEvents(until: "source.offline") }
        try await offThePool { try body(daemon) }
        let heard = try await told
        daemon.expectMemory(below: 150_000)
        let ending = try await daemon.stop()
        #expect(ending == .exit(0), "\(daemon.log)")
        let kept = try StoreCopy(of: daemon.store)
        #expect(kept.events.count > 40)
        #expect(heard == kept.events.map(\.body))
    }

    private static func errorCode(_ line: [UInt8]?) throws -> Int64? {
        try line.flatMap { try JSONValue(parsing: $0.span)["error"]?["code"]?.whole }
    }

    @Test func invalidRequestsGetErrorsAndTheConnectionStaysOpen() async throws {
        try await Self.withListener { daemon in
            let socket = try LineSocket(to: daemon.socket)
            let deep = String(repeating: "[", count: 10_000)
            let wrong: [(String, Int64)] = [
                (" ", -32700), ("\0", -32700), ("{", -32700), (deep, -32700), (deep + deep, -32700),
                ("nonsense", -32700),
                (String(repeating: #"{"a":"#, count: 10_000), -32700), (#""\ud800""#, -32700), ("[]", -32600),
                ("5", -32600), ("[" + String(repeating: "5,", count: 100) + "5]", -32600), (#"{"id":1}"#, -32600),
                (#"{"jsonrpc":"2.0","id":1,"method":5}"#, -32600), (#"{"jsonrpc":"2.0","id":1,"method":"no"}"#, -32601),
                (#"{"jsonrpc":"2.0","id":{},"method":"server.info"}"#, -32600),
                (#"{"jsonrpc":"2.0","id":1,"method":"server.info","params":5}"#, -32600),
                (#"{"jsonrpc":"2.0","id":1,"method":"server.info","params":[1,2,3]}"#, -32602),
            ]
            for (text, code) in wrong {
                try socket.send(text + "\n")
                let answer = try Self.errorCode(try socket.line())
                #expect(answer == code, "\(text.prefix(60))")
            }
            try socket.send([0xFF, 0xC0, 0x0A])
            #expect(try Self.errorCode(try socket.line()) == -32700)
            #expect(try socket.call("server.info")["result"] != nil)
        }
    }

    @Test func anEndlessLineIsRefused() async throws {
        try await Self.withListener { daemon in
            let socket = try LineSocket(to: daemon.socket)
            // The daemon discards the rest of such a line for a while, and then closes the connection.
            try? socket.send(repeatElement(UInt8(ascii: "a"), count: 10 << 20))
            #expect(try Self.errorCode(try? socket.line()) == -32600)
            #expect(try socket.line() == nil)
        }
    }

    @Test func unfinishedLinesAndAbandonedConnectionsDisturbNoOne() async throws {
        try await Self.withListener { daemon in
            let path = daemon.socket
            let request = #"{"jsonrpc":"2.0","id":1,"method":"server.info","params":{}}"# + "\n"
            let hanging = try (1..<200).map { length in
                let socket = try LineSocket(to: path)
                try socket.send(String(request.prefix(length % request.count)))
                return socket
            }
            for number in 0..<1000 {
                let socket = try LineSocket(to: path)
                if number % 2 == 0 { try socket.send(request.prefix(number % request.count).utf8) }
            }
            for socket in hanging.prefix(20) {
                try socket.send("\n")
                #expect(try socket.line() != nil)
            }
            let connections = try LineSocket(to: path).call("server.stats")["result"]?["subscribers"]?["connections"]
            #expect(try #require(connections?.whole) >= 200)
            withExtendedLifetime(hanging) {}
        }
    }

    @Test func endlessLinesOnManyConnectionsStayWithinAUsersLimit() async throws {
        try await Self.withListener { daemon in
            let before = daemon.memory
            let line = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
            let sockets = try (0..<200).map { _ in
                let socket = try LineSocket(to: daemon.socket)
                // A connection that is refused may be closed before all is sent.
                try? socket.send(line)
                return socket
            }
            // The daemon holds at most 24 MiB; the answers show which connections it refused.
            let codes = try sockets.map { socket in
                try? socket.send("\n")
                return try Self.errorCode(try? socket.line())
            }
            #expect(codes.count { $0 == 5 } >= 200 - 24 - 1, "\(codes)")
            daemon.expectMemory(below: before + 100_000)
            TestTier.report("200 lines of 1 MiB without end: \(before) kB before, \(daemon.memory) kB after")
            #expect(try LineSocket(to: daemon.socket).call("server.info")["result"] != nil)
        }
    }

    @Test func aStormOfSubscriptionsAndBatchesDelaysNoOtherCall() async throws {
        try await Self.withListener { daemon in
            let path = daemon.socket
            func batch(_ call: String, _ count: Int) -> String {
                "[" + (1...count).map { #"{"jsonrpc":"2.0","id":\#($0),\#(call)}"# }.joined(separator: ",") + "]\n"
            }
            let subscriptions = batch(#""method":"events.subscribe","params":{"after":0,"types":["*"]}"#, 16)
            let discoveries = batch(#""method":"rpc.discover""#, 10)
            let good = try LineSocket(to: path)
            var storm: [LineSocket] = []
            for round in 0..<20 {
                for text in [subscriptions, discoveries, String(discoveries.dropLast(40))] {
                    let socket = try LineSocket(to: path)
                    try socket.send(text)
                    // A third of the connections close at once; the others stay open and never read.
                    if round % 3 > 0 { storm.append(socket) }
                }
                #expect(try good.call("server.stats")["result"] != nil)
            }
            #expect(try LineSocket(to: path).call("server.stats")["result"] != nil)
            withExtendedLifetime(storm) {}
        }
    }

    @Test func callsToAPausedDaemonAreAnsweredWhenItResumes() async throws {
        try await Self.withListener { daemon in
            daemon.send(SIGSTOP)
            let sockets = try (0..<50).map { _ in
                let socket = try LineSocket(to: daemon.socket)
                try socket.send(#"{"jsonrpc":"2.0","id":1,"method":"server.info"}"# + "\n")
                return socket
            }
            daemon.send(SIGCONT)
            for socket in sockets { #expect(try socket.line()?.contains(#""result""#) == true) }
        }
    }

    @Test func removingTheSocketFileKeepsConnectionsOpen() async throws {
        let daemon = try await RunningDaemon(in: TemporaryFolder())
        try await offThePool {
            let socket = try LineSocket(to: daemon.socket)
            #expect(try socket.call("events.subscribe")["result"] != nil)
            // The path is read during the call.
            #expect(unsafe unlink(daemon.socket) == 0)
            #expect(try socket.call("server.info")["result"] != nil)
            #expect(throws: LineSocket.Failure.self) { try LineSocket(to: daemon.socket) }
        }
        #expect(try await daemon.stop() == .exit(0))
    }

    @Test func aClientThatDoesNotReadItsAnswersIsNotReadFrom() async throws {
        try await Self.withListener { daemon in
            let request = Array((#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"# + "\n").utf8)
            let block = Array(repeatElement(request, count: 1000).joined())
            let sockets = try (0..<2).map { _ in try LineSocket(to: daemon.socket) }
            for socket in sockets { #expect(socket.sendWithoutReading(block, atMost: 64 << 20)) }
            #expect(try LineSocket(to: daemon.socket).call("server.info")["result"] != nil)
        }
    }

    @Test func aConnectionBeyondTheFileLimitIsRefusedWithAnError() async throws {
        let daemon = try await RunningDaemon(in: TemporaryFolder(), through: ["prlimit", "--nofile=128:128"])
        let path = daemon.socket
        try await offThePool {
            var sockets = try (0..<300).map { _ in try LineSocket(to: path) }
            let answers = try sockets.map { socket in
                try? socket.send(#"{"jsonrpc":"2.0","id":1,"method":"server.info"}"# + "\n")
                return try Self.errorCode(try socket.line())
            }
            let served = answers.count { $0 == nil }
            #expect((40..<128).contains(served), "\(daemon.log)")
            #expect(answers.count { $0 == 5 } == 300 - served)
            #expect(try sockets[0].call("server.info")["result"] != nil)
            // A new call comes only after these connections have closed and the daemon has noticed.
            sockets.removeSubrange(1...)
            while try sockets[0].call("server.stats")["result"]?["subscribers"]?["connections"] != 1 {}
            #expect(try LineSocket(to: path).call("server.info")["result"] != nil)
        }
        #expect(try await daemon.stop() == .exit(0))
    }

    @Test func everyParameterOfEveryMethodIsCheckedForItsType() async throws {
        try await Self.withListener { daemon in
            // The caller is signed in, so that methods refuse the parameters rather than the caller. The engine knows no
            // people.
            #if Companion
            let socket = try Town(daemon).resident("eve").socket
            #else
            let socket = try LineSocket(to: daemon.socket)
            #endif
            let methods = try #require(try socket.call("rpc.discover")["result"]?["methods"]?.elements)
            var tried = 0
            for method in methods {
                let name = try #require(method["name"]?.text)
                for parameter in method["params"]?.elements ?? [] {
                    let field = try #require(parameter["name"]?.text)
                    for wrong in Self.values(not: parameter["schema"]) {
                        let answer = try socket.call(name, #"{"\#(field)":\#(wrong)}"#)
                        let code = answer["error"]?["code"]?.whole
                        #expect(code == 4 || code == -32602, "\(name) \(field) \(wrong): \(answer)")
                        tried += 1
                    }
                }
                for unknown in [#"{"nobody knows this":1}"#, "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]"] {
                    let code = try socket.call(name, unknown)["error"]?["code"]?.whole
                    #expect(code == 4 || code == -32602, "\(name) \(unknown)")
                }
            }
            #expect(methods.count > 20)
            #expect(tried > 200)
        }
    }

    /// Returns values of types that a schema does not name, or none if it names no type.
    private static func values(not schema: JSONValue?) -> [String] {
        let kinds = [
            ("boolean", ["true"]), ("number", ["7"]), ("integer", ["1.5", "1e300", "-9223372036854775809"]),
            ("string", [#""x""#]), ("array", ["[]", "[[[]]]"]), ("object", ["{}", #"{"a":{"b":null}}"#]),
        ]
        guard let kind = schema?["type"]?.text else { return [] }
        // Every integer is a number, but not every number is an integer.
        let isNumber = kind == "number" || kind == "integer"
        return kinds.flatMap { name, values -> [String] in
            switch name {
            case "integer": kind == "number" ? [] : values
            case "number": isNumber ? [] : values
            default: name == kind ? [] : values
            }
        }
    }
}

extension LineSocket {
    /// Sends a block over and over until the other side takes nothing for half a second.
    ///
    /// - Returns: Whether that happened before `limit` bytes were taken.
    func sendWithoutReading(_ block: [UInt8], atMost limit: Int) -> Bool {
        var taken = 0
        while taken < limit {
            // The calls use the array and the request only while they run.
            let count = unsafe Glibc.send(descriptor, block, block.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            if count > 0 {
                taken += count
            } else {
                var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                if unsafe poll(&request, 1, 500) == 0 { return true }
            }
        }
        return false
    }
}
