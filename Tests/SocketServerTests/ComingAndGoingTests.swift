import Callers
import EventStream
import RPC
import TestSupport
import Testing

@testable import SocketServer

/// Connections that open and close while events are published.
@Suite(.slow, .timeLimit(.minutes(5))) struct ComingAndGoingTests {
    /// Subscribes sixteen times to all events from the beginning of the log.
    private static let subscriptions: [UInt8] = {
        let call = #"{"jsonrpc":"2.0","id":1,"method":"events.subscribe","params":{"after":0}}"#
        return Array(("[" + repeatElement(call, count: 16).joined(separator: ",") + "]\n").utf8)
    }()

    @Test func aCallIsCancelledWhenItsConnectionCloses() async throws {
        let calls = Shared((begun: 0, ended: 0))
        let waiting = Method<Principal>("wait.long", "Waits.", answers: .boolean, right: .read) { _ in
            calls.value.begun += 1
            defer { calls.value.ended += 1 }
            try await Task.sleep(for: .seconds(3_600))
            return true
        }
        try await RunningServer.run(methods: [waiting]) { server in
            let call = #"{"jsonrpc":"2.0","id":1,"method":"wait.long"}"#
            for number in 1...3 {
                try await server.connect { client in
                    try await client.send(Array("[\(call),\(call)]\n".utf8))
                    while calls.value.begun < number { await Task.yield() }
                }
                while calls.value.ended < number { await Task.yield() }
            }
        }
        // The second call of each batch was not started.
        #expect(calls.value == (3, 3))
    }

    @Test func disconnectingDuringAddressedEventsAffectsNobodyElse() async throws {
        try await RunningServer.run { server in
            await server.publish(2_000) { MemoryJournal.entry($0, type: "notification", recipient: "anna") }
            try await server.connect { listener in
                _ = try await listener.call("people.signIn", ["name": "anna"])
                _ = try await listener.call("events.subscribe")
                let told = try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for _ in 0..<400 {
                            await server.publish(5) { MemoryJournal.entry($0, type: "notification", recipient: "anna") }
                            await Task.yield()
                        }
                    }
                    for client in 0..<4 {
                        group.addTask {
                            for number in 0..<40 {
                                try await server.connect { connection in
                                    if client % 2 == 0 {
                                        _ = try await connection.call("people.signIn", ["name": "anna"])
                                    }
                                    try await connection.send(Self.subscriptions)
                                    // Some clients disconnect at once, some after the answer, some after events.
                                    if number % 4 > 0 { _ = try await connection.line() }
                                    if number % 4 > 1 {
                                        try await connection.send(
                                            Request(
                                                id: .integer(2), method: "events.unsubscribe",
                                                parameters: .positional(["s3"])
                                            ).line)
                                        if client % 2 == 0 { _ = try await connection.events(number) }
                                    }
                                }
                            }
                        }
                    }
                    let told = try await listener.events(2_000)
                    try await group.waitForAll()
                    return told
                }
                #expect(told == Array(2_001...4_000))
                while server.server.connectionCount > 1 { await Task.yield() }
                #expect(await server.hub.statistics.subscriptions == 1)
            }
        }
    }
}
