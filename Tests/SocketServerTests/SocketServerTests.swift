import Callers
import Foundation
import RPC
import TestSupport
import Testing
import Tracking

@testable import EventStream
@testable import SocketServer

@Suite(.slow, .timeLimit(.minutes(5))) struct SocketServerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func callsAreAnsweredAndMethodsListed() async throws {
        try await RunningServer.run { server in
            try await server.connect { client in
                #expect(try await client.call("server.info") == ["name": "test"])
                #expect(try await client.error("server.stop")?.code == .methodNotFound)
                #expect(try await client.error("peer.set")?.code == .notAllowed)
                let document = try await client.call("rpc.discover")
                let methods = try #require(document["methods"]?.elements)
                let names = methods.compactMap { $0["name"] }
                #expect(names.contains("events.subscribe") && names.contains("rpc.discover"))
                #expect(names.count == 8)
            }
        }
    }

    @Test func thePeersCredentialsAreRead() async throws {
        try await RunningServer.run { server in
            try await server.connect { _ = try await $0.call("server.info") }
            let peer = try #require(server.peers.value.first)
            #expect(peer.process == getpid())
            #expect(peer.user == geteuid())
            #expect(peer.groups.contains(getegid()))
        }
    }

    @Test func invalidInputIsAnsweredAndTheConnectionStaysOpen() async throws {
        try await RunningServer.run { server in
            try await server.connect { client in
                try await client.send(Array("garbage\n{}\n\n\u{0}\u{FF}\n".utf8) + [0xFF, 0xFE, 0x0A])
                var codes: [JSONValue?] = []
                for _ in 1...4 {
                    codes.append(try await client.value()["error"]?["code"])
                }
                #expect(codes == [-32700, -32600, -32700, -32700])
                #expect(try await client.call("server.info")["name"] == "test")
            }
        }
    }

    @Test func aLineThatIsTooLongIsRefusedAndClosesTheConnection() async throws {
        try await RunningServer.run { server in
            try await server.connect { other in
                try await server.connect { client in
                    let line = [UInt8](repeating: 0x61, count: 3 * LineFraming.maximumLength)
                    try await client.send(Array(#"{"jsonrpc":"2.0","id":1,"method":"server.info"}"#.utf8) + [0x0A])
                    try await client.send(line + [0x0A])
                    #expect(try await client.value()["result"] != nil)
                    let answer = try await client.value()
                    #expect(answer["error"]?["code"] == -32600 && answer["id"] == .null)
                    #expect(try await client.line() == nil)
                }
                #expect(try await other.call("server.info")["name"] == "test")
            }
        }
    }

    @Test func anUnterminatedLineIsAnsweredWhenTheClientClosesItsOutput() async throws {
        try await RunningServer.run { server in
            try await server.connect { client in
                try await client.send(Array(#"{"jsonrpc":"2.0","id":1,"method":"server.info"}"#.utf8))
                try await client.closeOutput()
                #expect(try await client.value()["id"] == 1)
                #expect(try await client.line() == nil)
            }
        }
    }

    @Test func aClientThatClosedItsOutputStillReceivesEvents() async throws {
        try await RunningServer.run(committed: 2) { server in
            try await server.connect { client in
                _ = try await client.call("events.subscribe", ["after": 0])
                try await client.closeOutput()
                #expect(try await client.events(2) == [1, 2])
                await server.publish(1)
                #expect(try await client.events(1) == [3])
            }
            // The connection ends with the client, and the server notices without sending anything.
            while server.server.connectionCount > 0 { await Task.yield() }
            #expect(await server.hub.statistics.subscriptions == 0)
        }
    }

    @Test func manyUnreadAnswersDelayRequestsButLoseNone() async throws {
        try await RunningServer.run { server in
            try await server.connect { client in
                let request = Request(id: .integer(1), method: "text.long").line
                for _ in 0..<30 { try await client.send(request) }
                try await client.send(Request(id: .integer(2), method: "server.info").line)
                var answers = 0
                while let line = try await client.line() {
                    answers += 1
                    if line.count < 1_000 { break }
                }
                #expect(answers == 31)
            }
        }
    }

    @Test func theAnswerToASubscriptionPrecedesItsFirstEvent() async throws {
        try await RunningServer.run(committed: 10) { server in
            try await server.connect { client in
                let request = Request(
                    id: .integer(1), method: "events.subscribe", parameters: .named(["after": 3, "log": "test"]))
                try await client.send(request.line)
                #expect(
                    try await client.line()
                        == Array(#"{"jsonrpc":"2.0","id":1,"result":{"subscription":"s1","log":"test","next":4}}"#.utf8)
                )
                let event = String(decoding: MemoryJournal.enter(4).line, as: UTF8.self)
                let expected =
                    #"{"jsonrpc":"2.0","method":"event","params":{"subscription":"s1","event":"# + event + "}}"
                #expect(try await client.line() == Array(expected.utf8))
                #expect(try await client.events(6) == [5, 6, 7, 8, 9, 10])
            }
        }
    }

    @Test func theAnswersOfABatchPrecedeTheFirstEvent() async throws {
        try await RunningServer.run(committed: 3) { server in
            try await server.connect { client in
                let call = #"{"jsonrpc":"2.0","id":1,"method":"events.subscribe","params":{"after":0}}"#
                let stop = #"{"jsonrpc":"2.0","id":2,"method":"events.unsubscribe","params":["s1"]}"#
                try await client.send(Array("[\(call),\(stop),\(call)]\n".utf8))
                let answers = try await client.value()
                let elements = try #require(answers.elements)
                #expect(elements.map { $0["result"]?["subscription"] } == ["s1", "s1", "s2"])
                let first = try await client.notification()
                #expect(first?.parameters["subscription"] == "s2")
                #expect(try await client.events(2) == [2, 3])
            }
        }
    }

    @Test func withoutACursorOnlyNewEventsAreSent() async throws {
        try await RunningServer.run(committed: 5) { server in
            try await server.connect { client in
                let answer = try await client.call("events.subscribe")
                #expect(answer == ["subscription": "s1", "log": "test", "next": 6])
                await server.publish(2)
                #expect(try await client.events(2) == [6, 7])
            }
        }
    }

    @Test func invalidCursorsAndFiltersAreRefused() async throws {
        try await RunningServer.run(committed: 20) { server in
            server.journal.trim(10)
            try await server.connect { client in
                for method in ["events.subscribe", "events.list"] {
                    let newer = try await client.error(method, ["after": 21])
                    #expect(newer?.code == .conflict)
                    let other = try await client.error(method, ["after": 15, "log": "other"])
                    #expect(other?.code == .conflict)
                    let older = try await client.error(method, ["after": 9])
                    #expect(older?.code == .cursorGone)
                    #expect(older?.data == ["first": 11, "last": 20])
                    #expect(try await client.error(method, ["after": -1])?.data?["field"] == "after")
                    #expect(try await client.error(method, ["bbox": [1, 2, 3]])?.data?["field"] == "bbox")
                    #expect(try await client.error(method, ["bbox": [1, 5, 3, 4]])?.data?["field"] == "bbox")
                    #expect(try await client.error(method, ["kinds": ["trip"]])?.data?["field"] == "kinds")
                    #expect(try await client.error(method, ["geofences": ["x"]])?.data?["field"] == "geofences")
                    #expect(try await client.error(method, ["type": ["x"]])?.code == .invalidParameters)
                }
                _ = try await client.call("events.subscribe", ["after": 10, "log": "test"])
                #expect(try await client.events(10) == Array(11...20))
            }
        }
    }

    @Test func aConnectionHasAtMostSixteenSubscriptions() async throws {
        try await RunningServer.run { server in
            try await server.connect { client in
                for number in 1...16 {
                    #expect(try await client.call("events.subscribe")["subscription"] == .string("s\(number)"))
                }
                #expect(try await client.error("events.subscribe")?.code == .unavailable)
                #expect(try await client.call("events.unsubscribe", ["subscription": "s3"]) == ["subscription": "s3"])
                #expect(try await client.error("events.unsubscribe", ["subscription": "s3"])?.code == .notFound)
                #expect(try await client.call("events.subscribe")["subscription"] == "s17")
                #expect(await server.hub.statistics.subscriptions == 16)
                let answer = try await server.connect { try await $0.call("events.subscribe") }
                #expect(answer["subscription"] == "s1")
            }
        }
    }

    @Test func afterUnsubscribingNoEventFollows() async throws {
        try await RunningServer.run(committed: 5_000) { server in
            try await server.connect { client in
                _ = try await client.call("events.subscribe", ["after": 0])
                _ = try await client.events(1)
                try await client.send(
                    Request(id: .integer(99), method: "events.unsubscribe", parameters: .positional(["s1"])).line)
                while let line = try await client.line() {
                    if case .answer(.integer(99), let result) = try ServerMessage(parsing: line.span) {
                        #expect(try result.get() == ["subscription": "s1"])
                        break
                    }
                }
                await server.publish(10)
                try await client.send(Request(id: .integer(100), method: "server.info").line)
                #expect(try await client.value()["id"] == 100)
            }
        }
    }

    @Test func filtersApplyToSubscriptionsAndLists() async throws {
        try await RunningServer.run { server in
            try await server.connect { client in
                _ = try await client.call("events.subscribe", ["types": ["trip.*", "position"]])
                _ = try await client.call("events.subscribe", ["kinds": ["sight"], "bbox": [4, 52, 5, 53]])
                await server.publish(1)
                await server.publish(1) { MemoryJournal.entry($0, type: "trip.start") }
                server.hub.publish([MemoryJournal.position("gps0", 1)])
                var received: Set<String> = []
                for _ in 1...4 {
                    guard let parameters = try await client.notification()?.parameters else { break }
                    received.insert(String(decoding: JSONText(parameters).bytes, as: UTF8.self))
                }
                func line(_ name: String, _ entry: EventRecord) -> String {
                    #"{"subscription":"\#(name)","event":"# + String(decoding: entry.line, as: UTF8.self) + "}"
                }
                let trip = MemoryJournal.entry(2, type: "trip.start")
                #expect(
                    received == [
                        line("s1", trip), line("s1", MemoryJournal.position("gps0", 1)),
                        line("s2", MemoryJournal.enter(1)), line("s2", trip),
                    ])
                let page = try await client.call("events.list", ["types": ["trip.*"]])
                #expect(page["next"] == 3)
                let events = try #require(page["events"]?.elements)
                #expect(events.map { JSONText($0).bytes } == [trip.line])
            }
        }
    }

    @Test func listsAreReturnedInPages() async throws {
        try await RunningServer.run(committed: 5_000) { server in
            server.journal.trim(10)
            try await server.connect { client in
                var numbers: [JSONValue] = []
                var parameters: JSONObject = ["limit": 1_000]
                var pages = 0
                while true {
                    let page = try await client.call("events.list", parameters)
                    let events = try #require(page["events"]?.elements)
                    let next = try #require(page["next"].flatMap(Int64.init(json:)))
                    numbers += events.compactMap { $0["seq"] }
                    pages += 1
                    guard next <= 5_000 else { break }
                    parameters["after"] = .integer(next - 1)
                }
                #expect(numbers == (11...5_000).map { .integer($0) })
                #expect(pages == 5)
            }
        }
    }

    @Test func onlyTheirRecipientReceivesAddressedEvents() async throws {
        try await RunningServer.run { server in
            try await server.connect { anna in
                try await server.connect { bob in
                    _ = try await anna.call("people.signIn", ["name": "anna"])
                    _ = try await anna.call("events.subscribe", ["types": ["notification"]])
                    _ = try await bob.call("events.subscribe", ["to": "anna"])
                    _ = try await bob.call("events.subscribe")
                    await server.publish(1) { MemoryJournal.entry($0, type: "notification", recipient: "anna") }
                    await server.publish(1)
                    #expect(try await anna.events(1) == [1])
                    #expect(try await bob.events(1) == [2])
                    #expect(try await bob.call("events.list")["events"] != [])
                    #expect(try await bob.call("events.list", ["to": "anna"])["events"] == [])
                    #expect(try await anna.call("events.list", ["to": "anna"])["events"] != [])
                }
            }
        }
    }

    @Test func aCursorIsSentAfterManyFilteredEvents() async throws {
        try await RunningServer.run { server in
            try await server.connect { client in
                _ = try await client.call("events.subscribe", ["types": ["trip.*"]])
                await server.publish(9_999)
                await server.publish(1)
                let cursor = try await client.notification()
                #expect(cursor?.method == "cursor")
                #expect(cursor?.parameters == ["subscription": "s1", "seq": 10_000])
            }
        }
    }

    @Test func aCursorIsSentAfterAnIntervalWithoutEvents() async throws {
        var policy = SubscriptionPolicy()
        policy.cursorInterval = .milliseconds(1)
        try await RunningServer.run(policy: policy) { server in
            try await server.connect { client in
                _ = try await client.call("events.subscribe", ["types": ["trip.*"]])
                await server.publish(1)
                #expect(try await client.notification()?.parameters == ["subscription": "s1", "seq": 1])
            }
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func subscribersDuringPublishingGetEachEventOnce(seed: UInt64) async throws {
        var policy = SubscriptionPolicy()
        policy.queueCapacity = 32
        policy.pageSize = 16
        try await RunningServer.run(policy: policy, committed: 500) { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    var generator = SeededGenerator(seed: seed)
                    var left = 1_500
                    while left > 0 {
                        let count = min(left, Int.random(in: 1...40, using: &generator))
                        await server.publish(count, MemoryJournal.brief)
                        left -= count
                    }
                }
                for client in 1...6 {
                    group.addTask {
                        var generator = SeededGenerator(seed: seed << 8 | UInt64(client))
                        let after = Int64.random(in: 0...500, using: &generator)
                        try await server.connect { connection in
                            _ = try await connection.call("events.subscribe", ["after": .integer(after)])
                            let numbers = try await connection.events(2_000 - Int(after))
                            #expect(numbers == Array(after + 1...2_000))
                            _ = try await connection.call("events.subscribe", ["after": 1_000])
                            #expect(try await connection.events(1_000) == Array(1_001...2_000))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func aSlowSubscriberDelaysNobodyAndCatchesUp() async throws {
        let count = TestTier.isSoak ? 50_000 : 20_000
        try await RunningServer.run { server in
            try await server.connect { slow in
                _ = try await slow.call("events.subscribe", ["types": ["*"]])
                try await server.connect { quick in
                    _ = try await quick.call("events.subscribe")
                    let publishing = Task {
                        for batch in 0..<count / 500 {
                            await server.publish(500, MemoryJournal.brief)
                            server.hub.publish([MemoryJournal.position("gps\(batch)", batch)])
                        }
                    }
                    #expect(try await quick.events(count) == Array(1...Int64(count)))
                    await publishing.value
                }
                while await server.hub.statistics.subscriptions > 1 { await Task.yield() }
                let statistics = await server.hub.statistics
                #expect(statistics.catchingUp == 1)
                #expect(statistics.queued <= SubscriptionPolicy().queueCapacity)
                #expect(try await slow.events(count) == Array(1...Int64(count)))
                // The slow subscriber has caught up and receives positions again.
                while await server.hub.statistics.catchingUp > 0 { await Task.yield() }
                server.hub.publish([MemoryJournal.position("last", 1)])
                #expect(try await slow.notification()?.parameters["event"]?["device"] == "last")
            }
        }
    }

    /// Single events go to the socket past the channel, which sends the answers and what the system does not take.
    @Test func singleEventsAndAnswersDoNotMixOnAFullSocket() async throws {
        let (count, calls) = (2_000, 40)
        let padding = String(repeating: "x", count: 700)
        try await RunningServer.run { server in
            try await server.connect { client in
                _ = try await client.call("events.subscribe")
                let publishing = Task {
                    for _ in 0..<count {
                        await server.publish(1) {
                            EventRecord(
                                seq: $0, type: "trip.end", line: Array(#"{"seq":\#($0),"text":"\#(padding)"}"#.utf8))
                        }
                    }
                }
                for number in 0..<calls {
                    let method = number % 2 == 0 ? "text.long" : "server.info"
                    try await client.send(Request(id: .integer(Int64(number)), method: method).line)
                }
                await publishing.value
                var (events, answers): ([Int64], [JSONValue]) = ([], [])
                while events.count < count || answers.count < calls, let line = try await client.line() {
                    let message = try JSONValue(parsing: line.span)
                    if let seq = message["params"]?["event"]?["seq"] {
                        events.append(try #require(Int64(json: seq)))
                    } else {
                        answers.append(try #require(message["id"]))
                    }
                }
                #expect(events == Array(1...Int64(count)))
                #expect(answers == (0..<calls).map { JSONValue.integer(Int64($0)) })
            }
        }
    }

    @Test func aSubscriberBehindTheEventRecordsIsDisconnected() async throws {
        try await RunningServer.run { server in
            try await server.connect { client in
                _ = try await client.call("events.subscribe")
                _ = server.journal.commit(10)
                server.journal.trim(5)
                await server.publish(1)
                #expect(try await client.notification() == nil)
            }
            try await server.connect { client in
                let error = try await client.error("events.subscribe", ["after": 0])
                #expect(error?.data == ["first": 6, "last": 11])
            }
        }
    }

    @Test func aConnectionBeyondTheLimitIsRefusedWithAnError() async throws {
        let path = folder.path + "/a.sock"
        let hub = try await EventHub(journal: MemoryJournal())
        var table = MethodTable<Principal>(title: "Test", version: "1")
        table.add(.info)
        var limits = SocketServer.Limits()
        limits.connections = 1
        let server = try await SocketServer(
            path: path, methods: table, hub: hub, limits: limits
        ) { _ in [.read] }
        let serving = Task { try await server.run() }
        try await SocketClient.connect(to: path) { first in
            _ = try await first.call("server.info")
            try await SocketClient.connect(to: path) { second in
                let error = await #expect(throws: RPCError.self) { try await second.notification() }
                #expect(error?.code == .unavailable)
                let next = try await second.notification()
                #expect(next == nil)
            }
            _ = try await first.call("server.info")
        }
        serving.cancel()
        try await serving.value
    }

    @Test func queuedEventsAreSentBeforeTheServerStops() async throws {
        let journal = MemoryJournal()
        let hub = try await EventHub(journal: journal)
        var table = MethodTable<Principal>(title: "Test", version: "1")
        table.add(hub.methods())
        var limits = SocketServer.Limits()
        limits.shutdownGrace = .seconds(300)
        let server = try await SocketServer(
            path: folder.path + "/a.sock", methods: table, hub: hub, limits: limits
        ) { _ in [.read] }
        let serving = Task { try await server.run() }
        try await SocketClient.connect(to: folder.path + "/a.sock") { client in
            _ = try await client.call("events.subscribe")
            hub.publish(journal.commit(500))
            serving.cancel()
            #expect(try await client.events(501) == Array(1...500))
        }
        try await serving.value
    }

    @Test func aNewConnectionIsAnsweredOnceWhenTheServerStops() async throws {
        try await stop(greeting: .seconds(300)) { client, stop in
            stop()
            let info = try await client.call("server.info")
            #expect(info["name"] == "test")
            let next = try await client.notification()
            #expect(next == nil)
        }
    }

    @Test func anAnsweredConnectionIsClosedWhenTheServerStops() async throws {
        try await stop(greeting: .seconds(300)) { client, stop in
            _ = try await client.call("server.info")
            stop()
            let next = try await client.notification()
            #expect(next == nil)
        }
    }

    @Test func aSilentConnectionIsClosedWhenTheServerStops() async throws {
        try await stop(greeting: .zero) { client, stop in
            stop()
            let next = try await client.notification()
            #expect(next == nil)
        }
    }

    @Test func aStopWithoutAnyGraceIsNoError() async throws {
        var limits = SocketServer.Limits()
        limits.shutdownGrace = .zero
        for round in 0..<50 {
            try await RunningServer.run(limits: limits) { running in
                guard round % 2 == 1 else { return }
                try await SocketClient.connect(to: running.path) { _ = try await $0.call("server.info") }
            }
        }
    }

    /// Starts a server with a connected client, and lets `body` stop the server.
    private func stop(
        greeting: Duration, _ body: (SocketClient, _ stop: @Sendable () -> Void) async throws -> Void
    ) async throws {
        let path = folder.path + "/a.sock"
        var table = MethodTable<Principal>(title: "Test", version: "1")
        table.add(.info)
        var limits = SocketServer.Limits()
        (limits.greeting, limits.shutdownGrace) = (greeting, .seconds(300))
        let server = try await SocketServer(
            path: path, methods: table, hub: try await EventHub(journal: MemoryJournal()), limits: limits
        ) { _ in [.read] }
        let serving = Task { try await server.run() }
        try await SocketClient.connect(to: path) { client in
            while server.connectionCount == 0 { await Task.yield() }
            try await body(client) { serving.cancel() }
        }
        try await serving.value
    }

    @Test func aPassedSocketIsServedAndItsFileIsKept() async throws {
        let path = folder.path + "/a.sock"
        let socket = try ListeningSocket(path: path, mode: 0o600)
        let hub = try await EventHub(journal: MemoryJournal())
        var table = MethodTable<Principal>(title: "Test", version: "1")
        table.add(.info)
        let server = try await SocketServer(descriptor: socket.descriptor, methods: table, hub: hub) { _ in [.read] }
        let serving = Task { try await server.run() }
        let info = try await SocketClient.connect(to: path) { try await $0.call("server.info") }
        #expect(info["name"] == "test")
        serving.cancel()
        try await serving.value
        #expect(FileManager.default.fileExists(atPath: path))
    }
}
