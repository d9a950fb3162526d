import RPC
import TestSupport
import Testing

@testable import Daemon
@testable import EventStream

/// What callers from other machines learn about this one.
@Suite struct MachineSecrecyTests {
    private static let address = Origin.address(-5)

    private static func caller(
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
        #expect(world.takeFailures() == [])
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
        #expect(world.takeFailures() == [])
    }
}
