import Callers
import Daemon
import Geodesy
import Glibc
import Positioning
import RPC
import Service
import SocketServer
import Store
import Synchronization
import Time
import Tracking

#if Companion
import WebServer
#endif

/// A destination for calls: a daemon, or a store that no daemon has open.
protocol Responder {
    /// Calls a method.
    ///
    /// - Throws: The `RPCError` of the answer, `SocketError`, `StoreError`.
    nonisolated(nonsending) func call(_ method: String, _ parameters: JSONObject) async throws -> JSONValue
}

extension SocketClient: Responder {}

extension Responder {
    /// Calls a method without parameters.
    nonisolated(nonsending) func call(_ method: String) async throws -> JSONValue { try await call(method, [:]) }

    /// Calls a method, whose errors then name the options of a command instead of parameters with other names.
    ///
    /// - Parameter options: The names of the options, without hyphens, by the names of the parameters.
    nonisolated(nonsending) func call(
        _ method: String, _ parameters: JSONObject, options: [String: String]
    ) async throws -> JSONValue {
        do {
            return try await call(method, parameters)
        } catch let error as RPCError {
            guard case .object(var data)? = error.data, let field = data["field"].flatMap(String.init(json:)),
                let option = options[String(field.prefix { $0 != "." })]
            else { throw error }
            data["field"] = .string(option)
            throw RPCError(error.code, error.message, data: .object(data))
        }
    }

    /// Calls a method page by page, and passes the elements of each page to `body` as it arrives.
    ///
    /// It stops after `limit` elements, or at the last page.
    ///
    /// - Parameters:
    ///   - key: The name of the list in the answer.
    ///   - most: The largest page that the method returns.
    nonisolated(nonsending) func forEachPage(
        of method: String, _ key: String, _ parameters: JSONObject, limit: Int? = nil, pages most: Int = 1000,
        _ body: ([JSONValue]) throws -> Void
    ) async throws {
        var parameters = parameters
        var left = limit ?? .max
        while left > 0 {
            parameters["limit"] = .integer(Int64(clamping: min(left, most)))
            let page = try await call(method, parameters)
            let elements = page.elements(key).prefix(left)
            try body(Array(elements))
            left -= elements.count
            guard let next = page["next"], !elements.isEmpty else { return }
            parameters["after"] = next
        }
    }
}

extension Responder {
    /// Resumes the session stored for a place, if there is one; deletes the stored session if it has ended.
    nonisolated(nonsending) func resume(at place: String) async throws {
        guard let token = SessionFile.token(at: place) else { return }
        do {
            _ = try await call("people.resume", ["token": .string(token)])
        } catch let error as RPCError {
            switch error.code {
            case .notAllowed, .notFound:
                SessionFile.forget(place)
                Failure.note("waymark: the session has ended; sign in again with \"waymark people sign-in\"")
            // A daemon from a version without accounts.
            case .methodNotFound: break
            default: throw error
            }
        }
    }
}

/// The daemon's methods, over a store that no daemon has open.
struct StoreResponder: Responder {
    private let features: Features
    private let table: MethodTable<Principal>
    private let caller = Principal.local(user: geteuid())
    private let failure = FailureNote()

    init(_ store: LocationDatabase) {
        var table = MethodTable<Principal>(title: ProgramInfo.name, version: ProgramInfo.version) {
            [failure] _, error in
            failure.note(error)
        }
        features = Features(store: store, liveState: OfflineLiveState(store: store))
        table.add(features.methods)
        #if Companion
        table.add(MapMethods(store.path.map { MapFolder(ofStore: $0) }, features.context).all)
        #endif
        self.table = table
    }

    /// Lets the log consumers process the events that a replay has appended, which a daemon does at once.
    ///
    /// The store must be open for writing.
    func catchUp() async throws { try await LogConsumers(features.context, features.consumers).catchUp() }

    nonisolated(nonsending) func call(_ method: String, _ parameters: JSONObject) async throws -> JSONValue {
        let request = Request(id: nil, method: method, parameters: .named(parameters))
        var table = table
        if method == "events.list" { table.add(try await features.pastEvents()) }
        switch await table.dispatch(request, from: caller) {
        case .success(let text): return try JSONValue(parsing: text.bytes.span)
        case .failure(let error): throw failure.popError() ?? error
        }
    }
}

/// The present as a store knows it without a daemon: no device moves.
struct OfflineLiveState: LiveState {
    let store: LocationDatabase

    func positions() async -> [String: Fix] { [:] }
    func openTrips() async -> [String: TripSummary] { [:] }
    func policy() async -> TrackingPolicy { TrackingPolicy() }
    func nearest(to place: Coordinate, limit: Int, kind: Geofence.Kind) async -> [GeofenceIndex.Neighbor] {
        // The caller reads the sights from the store next, and reports why it cannot be read.
        (try? GeofenceIndex(of: store))?.nearest(to: place, limit: limit, kind: kind) ?? []
    }
    func explain(
        _ question: Explanation.Question, _ geofence: Geofence.Identity, device: String
    ) async -> (geofence: Geofence, explanation: Explanation)? { nil }
    func historyBegin(of device: String) async -> Timestamp? { nil }
    func watch(_ changes: [GeofenceChange]) async {}
    func publish(_ events: [EventRecord]) async {}
}

/// The error behind the last answer that does not report it.
private final class FailureNote: Sendable {
    private let last = Mutex<(any Error)?>(nil)

    func note(_ error: any Error) { last.withLock { $0 = error } }

    func popError() -> (any Error)? {
        last.withLock { last in
            defer { last = nil }
            return last
        }
    }
}
