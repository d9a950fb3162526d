import Callers
import EventStream
import RPC
import Testing

@testable import SocketServer

/// The limits of what one user of the machine may take from the server.
@Suite(.timeLimit(.minutes(5))) struct UserBoundTests {
    private static func limits(_ change: (inout SocketServer.Limits) -> Void) -> SocketServer.Limits {
        var limits = SocketServer.Limits()
        change(&limits)
        return limits
    }

    private static func unfinished(_ count: Int) -> [UInt8] { [UInt8](repeating: UInt8(ascii: "a"), count: count) }

    @Test func aUserGetsHalfOfThePlacesAndSomeAreReservedForAdministrators() {
        // 8 of 64 places are reserved, 2 for each administrator.
        var slots = ConnectionSlots(Self.limits { $0.connections = 64 })
        func count(_ user: UInt32, mayChange: Bool = false) -> Int {
            var count = 0
            while case .success = slots.reserve(for: user, mayChange: mayChange) { count += 1 }
            return count
        }
        #expect(count(1000) == 32)
        #expect(count(1001) == 24)
        #expect(count(1002) == 0)
        #expect(count(0, mayChange: true) == 2)
        #expect(count(7, mayChange: true) == 2)
        slots.release(for: 1001)
        #expect(count(1000) == 0)
        #expect(count(1002) == 0)
        for _ in 0..<4 { slots.release(for: 1001) }
        #expect(count(1002) == 1)
    }

    @Test func oneAdministratorCannotTakeThePlacesReservedForAnother() {
        var slots = ConnectionSlots(Self.limits { $0.connections = 64 })
        var count = 0
        while case .success = slots.reserve(for: 0, mayChange: true) { count += 1 }
        #expect(count == 56)
        guard case .success = slots.reserve(for: 7, mayChange: true) else {
            Issue.record("the other administrator has no place")
            return
        }
    }

    @Test func bytesBeyondTheAllowanceAreChargedToTheUserAndReturned() {
        let quota = Quota(100)
        var one: ConnectionQuota? = ConnectionQuota(of: quota, allowance: 10)
        let other = ConnectionQuota(of: quota, allowance: 10)
        #expect(one?.reserve(60) == true)
        #expect(!other.reserve(61))
        #expect(other.amount == 0)
        #expect(other.reserve(60))
        #expect(!other.reserve(1))
        #expect(one?.reserve(1) == false)
        one = nil
        #expect(other.reserve(50))
        other.release(110)
        #expect(quota.reserve(100))
        #expect(!quota.reserve(1))
    }

    @Test func aConnectionBeyondTheUsersLimitIsRefusedWithAMessage() async throws {
        try await RunningServer.run(limits: Self.limits { $0.connections = 8 }) { server in
            @Sendable func fill(_ left: Int) async throws {
                guard left > 0 else {
                    try await server.connect { client in
                        let error = await #expect(throws: RPCError.self) { try await client.notification() }
                        #expect(error?.code == .unavailable)
                        #expect(error?.message.contains("You have 4 connections") == true)
                    }
                    server.isAdmin.value = true
                    #expect(try await server.connect { try await $0.call("peer.set") } == true)
                    return
                }
                try await server.connect { client in
                    _ = try await client.call("server.info")
                    try await fill(left - 1)
                }
            }
            try await fill(4)
            server.isAdmin.value = false
            while server.server.connectionCount > 0 { await Task.yield() }
            #expect(try await server.connect { try await $0.call("server.info") }["name"] == "test")
        }
    }

    @Test func anEndlessLineBeyondTheUsersLimitIsRefusedWithoutHarmingOthers() async throws {
        try await RunningServer.run(limits: Self.limits { $0.requestsOfUser = 1 << 18 }) { server in
            try await server.connect { good in
                try await server.connect { client in
                    try await client.send(Self.unfinished(1 << 19))
                    let answer = try await client.value()
                    #expect(answer["error"]?["code"] == 5 && answer["id"] == .null)
                    #expect(try await client.line() == nil)
                }
                // Its bytes are free again.
                let long = #"{"jsonrpc":"2.0","id":1,"method":"server.info"\#(String(repeating: " ", count: 200_000))}"#
                try await good.send(Array((long + "\n").utf8))
                #expect(try await good.value()["result"] != nil)
            }
        }
    }

    @Test func unreadAnswersBeyondTheUsersLimitCloseOnlyThatConnection() async throws {
        let limits = Self.limits { ($0.answersOfUser, $0.lingering) = (1 << 18, .milliseconds(1)) }
        try await RunningServer.run(limits: limits) { server in
            try await server.connect { good in
                _ = try await good.call("server.info")
                try await server.connect { slow in
                    let request = Request(id: .integer(1), method: "text.long").line
                    try await slow.send(Array(repeatElement(request, count: 20).joined()))
                    _ = try await slow.value()
                    while server.server.connectionCount > 1 { await Task.yield() }
                }
                // The unread bytes are free again.
                for _ in 0..<3 { _ = try await good.call("text.long") }
            }
        }
    }

    @Test func subscriptionsOfAllConnectionsOfAUserAreLimited() async throws {
        try await RunningServer.run(limits: Self.limits { $0.subscriptionsOfUser = 20 }) { server in
            try await server.connect { one in
                for _ in 0..<16 { _ = try await one.call("events.subscribe") }
                try await server.connect { other in
                    for _ in 0..<4 { _ = try await other.call("events.subscribe") }
                    #expect(try await other.error("events.subscribe")?.code == .unavailable)
                    _ = try await other.call("events.unsubscribe", ["subscription": "s1"])
                    _ = try await other.call("events.subscribe")
                }
                while await server.hub.statistics.subscriptions > 16 { await Task.yield() }
                try await server.connect { other in
                    for _ in 0..<4 { _ = try await other.call("events.subscribe") }
                }
            }
        }
    }
}
