#if Companion
import Callers
import RPC
import Store
import TestSupport
import Testing
import Time
import Tracking

@testable import Daemon
@testable import EventStream

/// What callers from other machines learn about this one.
@Suite struct MachineSecrecyTests {
    fileprivate static let address = Origin.address(-5)

    fileprivate static func caller(
        _ origin: Origin, person: String? = nil, isAdministrator: Bool = false
    ) -> Principal {
        let administrators = Administrators()
        if isAdministrator, let person { administrators.set([person]) }
        let caller = Principal(number: 1, origin: origin, rights: [.read], administrators: administrators)
        caller.identity = person.map { .init(person: $0) }
        return caller
    }

    private static func members(_ answer: JSONValue) throws -> Set<String> {
        guard case .object(let members)? = answer["result"] else {
            Issue.record("no result: \(answer)")
            return []
        }
        return Set(members.names)
    }

    @Test func onlyUsersOfTheMachineAndAdministratorsSeeIt() async throws {
        let world = try await HostileWorld()
        for caller in [Self.caller(.user(1000)), Self.caller(Self.address, person: "ada", isAdministrator: true)] {
            let info = try await world.call("server.info", [:], from: caller)
            #expect(try Self.members(info) == ["name", "version", "configuration"])
            let stats = try await world.call("server.stats", [:], from: caller)
            let seen = try Self.members(stats)
            #expect(seen.isSuperset(of: ["started", "store", "process", "subscribers", "latency", "pending"]))
            #expect(stats["result"]?["events"]?["told"] != nil)
        }
        for caller in [Self.caller(Self.address), Self.caller(Self.address, person: "ada")] {
            let info = try await world.call("server.info", [:], from: caller)
            #expect(try Self.members(info) == ["name", "version"])
            let stats = try await world.call("server.stats", [:], from: caller)
            #expect(try Self.members(stats) == ["version", "devices", "events"])
            #expect(stats["result"]?["events"]?["told"] == nil)
            #expect(stats["result"]?["events"]?["last"] != nil)
        }
        #expect(world.drainFailures() == [])
    }

    /// No method that needs no more than the right to read names a file of the machine.
    @Test func noReadingMethodNamesFilesOfTheMachine() async throws {
        let world = try await HostileWorld()
        _ = try await world.refresh()
        let stranger = Self.caller(Self.address)
        let document = try await world.call("rpc.discover", [:], from: stranger)
        let methods = DocumentedMethod.all(of: document["result"] ?? .null)
        #expect(methods.count > 90)
        for method in methods {
            var parameters = JSONObject()
            for parameter in method.parameters where parameter.isRequired {
                parameters[parameter.name] = HostileWorld.known[parameter.name]?.first
            }
            let answer = try await world.call(method.name, parameters, from: stranger)
            let text = String(decoding: JSONText(answer).bytes, as: UTF8.self)
            #expect(!text.contains(world.path ?? "secret.yaml") && !text.contains("secret.yaml"), "\(method.name)")
        }
        #expect(world.drainFailures() == [])
    }
}

extension MachineSecrecyTests {
    /// The reason may name a file or an address.
    @Test func whyAReceiverIsOfflineIsOnlyForThoseWhoSeeTheMachine() async throws {
        let store = try Stores.temporary()
        let visibility = EventVisibility(store)
        let hub = try await EventHub(
            journal: StoreJournal(store: store), visibility: visibility.allows, discretion: visibility.shown)
        let state = SourceState(
            isOnline: false, reason: "no answer from 192.168.7.1", since: Timestamp(milliseconds: 1_777_629_600_000))
        let events = [EventRecord(state, of: "van", isClockSynchronised: false)]
        let stored = try await store.write { db in try EventLog.append(events, to: db) }
        hub.publish(stored)
        let whole = try #require(stored.first?.line)
        let short =
            #"{"seq":1,"type":"source.offline","time":"2026-05-01T10:00:00.000Z","device":"van","clock":"unsynchronised"}"#
        let list = try #require(hub.methods().first { $0.name == "events.list" })
        var table = MethodTable<Principal>(title: "Test", version: "1")
        table.add([list])
        let callers = [
            (Self.caller(.user(1000)), whole), (Self.caller(Self.address, person: "ada", isAdministrator: true), whole),
            (Self.caller(Self.address), Array(short.utf8)),
            (Self.caller(Self.address, person: "ada"), Array(short.utf8)),
        ]
        for (caller, expected) in callers {
            let line = Array(#"{"jsonrpc":"2.0","id":1,"method":"events.list"}"#.utf8)
            let answer = try #require(await table.answer(to: line, from: caller))
            #expect(String(decoding: answer, as: UTF8.self).contains(String(decoding: expected, as: UTF8.self)))
            // A subscription sends the same, from the log and live.
            let fanOut = EventFanOut(hub)
            let (past, _) = fanOut.subscribe(caller, to: EventFilter(), after: 0, last: 1)
            #expect(try await past.next() == [.event(expected)])
            let (live, _) = fanOut.subscribe(caller, to: EventFilter(), after: nil, last: 1)
            let next = EventRecord(state, of: "van", isClockSynchronised: false).numbered(2)
            fanOut.put([next])
            let text = String(decoding: expected, as: UTF8.self).replacing("\"seq\":1", with: "\"seq\":2")
            #expect(try await live.next() == [.event(Array(text.utf8))])
        }
    }
}
#endif
