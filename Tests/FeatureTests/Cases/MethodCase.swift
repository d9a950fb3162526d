import GRDB
import Geodesy
import Positioning
import RPC
import Store
import Testing

@testable import EventStream
@testable import Places
@testable import Service

/// A call, and what becomes of it, in a world of its own: ada, bob and cai, the device gps0, which carries ada, and ada's
/// sight `mill`, at which it is.
struct MethodCase: Sendable, CustomTestStringConvertible {
    /// Who calls.
    enum Caller: Sendable, Hashable {
        /// Nobody, without the right to change the machine.
        case guest
        /// Nobody, with that right.
        case admin
        /// A person, without that right.
        case person(String)

        /// A connection of the caller.
        var connection: Principal {
            switch self {
            case .guest: CoreFixture.connection()
            case .admin: CoreFixture.connection([.read, .change])
            case .person(let id): CoreFixture.connection(as: id)
            }
        }
    }

    /// What a call gets.
    enum Outcome: Sendable, Hashable {
        case answer
        case error(Int, field: String? = nil)
    }

    /// What is done before, and what parameters come of it.
    typealias Preparation = @Sendable (CoreFixture) async throws -> JSONObject

    var method: String
    var caller: Caller
    var parameters: JSONObject
    var outcome: Outcome
    var preparation: Preparation

    /// A call that is answered.
    static func good(
        _ method: String, as caller: Caller, _ parameters: JSONObject = [:],
        after preparation: @escaping Preparation = { _ in [:] }
    ) -> MethodCase {
        MethodCase(
            method: method, caller: caller, parameters: parameters, outcome: .answer, preparation: preparation)
    }

    /// A call that is refused with a code, and for 4 with the field at fault.
    static func bad(
        _ code: RPCError.Code, _ field: String?, _ method: String, as caller: Caller,
        _ parameters: JSONObject = [:], after preparation: @escaping Preparation = { _ in [:] }
    ) -> MethodCase {
        MethodCase(
            method: method, caller: caller, parameters: parameters, outcome: .error(code.rawValue, field: field),
            preparation: preparation)
    }

    /// A call that is refused with a code, and for 4 without a field at fault.
    static func bad(
        _ code: RPCError.Code, _ method: String, as caller: Caller, _ parameters: JSONObject = [:],
        after preparation: @escaping Preparation = { _ in [:] }
    ) -> MethodCase {
        bad(code, nil, method, as: caller, parameters, after: preparation)
    }

    var testDescription: String { "\(method) \(outcome) \(caller) \(parameters)" }

    /// The world of the cases.
    static func world() async throws -> CoreFixture {
        let core = try CoreFixture()
        core.present.place("gps0", at: fix(0))
        try core.people("ada", "bob", "cai")
        try await core.store.write { db in
            try db.execute(sql: "INSERT INTO carried SELECT 'gps0', number FROM person WHERE id = 'ada'")
        }
        let mill = Sight(
            id: "mill", title: "Mill", place: fix(0).coordinate, information: "An old mill.")
        let changes = try await core.store.write { try SightStore.put([mill], in: $0).changes }
        await core.present.watch(changes)
        try await core.store.write { db in
            try db.execute(sql: "UPDATE sight SET owner = (SELECT number FROM person WHERE id = 'ada')")
        }
        return core
    }

    /// What becomes of the call.
    func run() async throws -> Outcome {
        let core = try await Self.world()
        var parameters = parameters
        let more = try await preparation(core)
        for name in more.names { parameters[name] = more[name] }
        let connection = caller.connection
        guard let error = try await core.error(method, parameters, from: connection) else { return .answer }
        var field: String?
        if error.code == .invalidValue { field = error.data?["field"].text }
        return .error(error.code.rawValue, field: field)
    }
}
