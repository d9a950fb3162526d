package import Callers
import GRDB
import Geodesy
import Positioning
package import RPC
package import Store
import Testing
import WebPush

@testable package import Service
@testable import Sights

/// A call and its expected outcome.
///
/// Each case has a world of its own: ada, bob and cai, the device gps0 with ada on board, and ada's sight `mill`, at
/// which the device is.
package struct MethodCase: Sendable, CustomTestStringConvertible {
    /// The caller of a case.
    package enum Caller: Sendable, Hashable {
        /// Not signed in, without administrator rights.
        case guest
        /// Not signed in, with administrator rights.
        case admin
        /// A signed-in person without administrator rights.
        case person(String)
        /// A person in the session 1, if a case has opened it.
        case session(String)

        /// A new connection of the caller.
        package var connection: Principal {
            switch self {
            case .guest: return CoreFixture.connection()
            case .admin: return CoreFixture.connection([.read, .change])
            case .person(let id): return CoreFixture.connection(as: id)
            case .session(let id):
                let connection = CoreFixture.connection(as: id)
                connection.identity = .init(person: id, session: "1")
                return connection
            }
        }
    }

    /// The outcome of a call.
    package enum Outcome: Sendable, Hashable {
        case answer
        case error(Int, field: String? = nil)

        /// The code of the error, or `nil` for an answer.
        package var code: Int? {
            if case .error(let code, _) = self { code } else { nil }
        }
    }

    /// Prepares the world of a case and returns further parameters.
    package typealias Preparation = @Sendable (CoreFixture) async throws -> JSONObject

    package var method: String
    package var caller: Caller
    package var parameters: JSONObject
    package var outcome: Outcome
    package var preparation: Preparation

    /// Makes a case that succeeds.
    package static func good(
        _ method: String, as caller: Caller, _ parameters: JSONObject = [:],
        after preparation: @escaping Preparation = { _ in [:] }
    ) -> MethodCase {
        MethodCase(
            method: method, caller: caller, parameters: parameters, outcome: .answer, preparation: preparation)
    }

    /// Makes a case that is refused with a code and, for code 4, with the name of the bad field.
    package static func bad(
        _ code: RPCError.Code, _ field: String?, _ method: String, as caller: Caller,
        _ parameters: JSONObject = [:], after preparation: @escaping Preparation = { _ in [:] }
    ) -> MethodCase {
        MethodCase(
            method: method, caller: caller, parameters: parameters, outcome: .error(code.rawValue, field: field),
            preparation: preparation)
    }

    /// Makes a case that is refused with a code and, for code 4, without a field.
    package static func bad(
        _ code: RPCError.Code, _ method: String, as caller: Caller, _ parameters: JSONObject = [:],
        after preparation: @escaping Preparation = { _ in [:] }
    ) -> MethodCase {
        bad(code, nil, method, as: caller, parameters, after: preparation)
    }

    package var testDescription: String { "\(method) \(outcome) \(caller) \(parameters)" }

    /// Makes the world of a case, over a copy of `store`, by default the one of ``template``.
    package static func world(over store: LocationDatabase? = nil) async throws -> CoreFixture {
        let template = try template.get()
        let push = WebPush(PushSettings(.anywhere, support: nil))
        let core = try CoreFixture(store: try (store ?? template.store).copy(), push: push)
        core.liveState.place("gps0", at: fix(0))
        await core.liveState.watch(template.changes)
        return core
    }

    /// A line of the GeoNames tables.
    package static let utrecht =
        "2745912\tUtrecht\tUtrecht\tUtert\t52.09083\t5.12222\tP\tPPLA\tNL\t\t09\t0344\t\t\t290529\t\t13\tEurope/Amsterdam\t2024-01-01\n"

    /// The store of the world, and the geofence of its sight.
    package static let template = Result {
        let core = try CoreFixture()
        try core.people("ada", "bob", "cai")
        let mill = Sight(id: "mill", title: "Mill", place: fix(0).coordinate, information: "An old mill.")
        let changes = try core.store.write { db in
            let changes = try SightStore.put([mill], in: db).changes
            try db.execute(sql: "INSERT INTO carried SELECT 'gps0', number FROM person WHERE id = 'ada'")
            try db.execute(sql: "UPDATE sight SET owner = (SELECT number FROM person WHERE id = 'ada')")
            return changes
        }
        return (store: core.store, changes: changes)
    }

    /// Makes the world of this case over a copy of `store`, and the parameters of its call.
    package func prepare(
        over store: LocationDatabase? = nil
    ) async throws -> (core: CoreFixture, parameters: JSONObject) {
        let core = try await Self.world(over: store)
        var parameters = parameters
        let more = try await preparation(core)
        for name in more.names { parameters[name] = more[name] }
        return (core, parameters)
    }

    /// Makes the call and returns its outcome.
    package func run() async throws -> Outcome {
        let (core, parameters) = try await prepare()
        let connection = caller.connection
        guard let error = try await core.error(method, parameters, from: connection) else { return .answer }
        var field: String?
        if error.code == .invalidValue { field = error.data?["field"].text }
        return .error(error.code.rawValue, field: field)
    }
}
