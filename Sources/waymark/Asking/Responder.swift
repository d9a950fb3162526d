import Daemon
import EventStream
import Geodesy
import Glibc
import Positioning
import RPC
import Service
import SocketServer
import Store
import Synchronization
import Tracking

/// Who answers calls: a daemon, or a store by itself.
protocol Responder {
    /// Calls a method.
    ///
    /// - Throws: `RPCError` that was answered, `SocketError`, `StoreError`.
    nonisolated(nonsending) func call(_ method: String, _ parameters: JSONObject) async throws -> JSONValue
}

extension SocketClient: Responder {}

extension Responder {
    /// Calls a method without parameters.
    nonisolated(nonsending) func call(_ method: String) async throws -> JSONValue { try await call(method, [:]) }

    /// Calls a method for page after page, and gives the elements of each as it comes; at most so many in all.
    ///
    /// - Parameters:
    ///   - key: what the method calls its list.
    ///   - most: as many as it gives at once.
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
    /// Goes on as who is signed in at a place, if someone is; a session that has ended is forgotten.
    nonisolated(nonsending) func resume(at place: String) async throws {
        guard let token = SessionFile.token(at: place) else { return }
        do {
            _ = try await call("people.resume", ["token": .string(token)])
        } catch let error as RPCError {
            switch error.code {
            case .notAllowed, .notFound:
                SessionFile.forget(place)
                Failure.note("waymark: the session has ended; sign in again with \"waymark people sign-in\"")
            // A daemon from before there were people.
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
        var table = MethodTable<Principal>(title: Product.name, version: Product.version) { [failure] _, error in
            failure.note(error)
        }
        features = Features(store: store, present: StoredPresent(store: store))
        table.add(features.methods)
        self.table = table
    }

    /// Has what a replay has added to the log worked on, as a daemon does at once; the store must be open for writing.
    func catchUp() async throws { try await LogConsumers(features.context, features.consumers).catchUp() }

    nonisolated(nonsending) func call(_ method: String, _ parameters: JSONObject) async throws -> JSONValue {
        let request = Request(id: nil, method: method, parameters: .named(parameters))
        var table = table
        if method == "events.list" { table.add(try await features.pastEvents()) }
        switch await table.dispatch(request, from: caller) {
        case .success(let text): return try JSONValue(parsing: text.bytes.span)
        case .failure(let error): throw failure.take() ?? error
        }
    }
}

/// What a store by itself knows of this moment: nothing moves.
struct StoredPresent: Present {
    let store: LocationDatabase

    func positions() async -> [String: Fix] { [:] }
    func openTrips() async -> [String: TripSummary] { [:] }
    func policy() async -> TrackingPolicy { TrackingPolicy() }
    func nearest(to place: Coordinate, limit: Int, kind: Geofence.Kind) async -> [GeofenceIndex.Neighbor] {
        // Whoever asks reads the sights from the store next, and says why it cannot be read.
        (try? GeofenceIndex(of: store))?.nearest(to: place, limit: limit, kind: kind) ?? []
    }
    func explain(
        _ question: Explanation.Question, _ geofence: Geofence.Identity, device: String
    ) async -> (geofence: Geofence, explanation: Explanation)? { nil }
    func historyBegin(of device: String) async -> Timestamp? { nil }
    func watch(_ changes: [GeofenceChange]) async {}
    func tell(_ events: [StoredEvent]) async {}
}

/// The error behind an answer that does not tell it.
private final class FailureNote: Sendable {
    private let last = Mutex<(any Error)?>(nil)

    func note(_ error: any Error) { last.withLock { $0 = error } }

    func take() -> (any Error)? {
        last.withLock { last in
            defer { last = nil }
            return last
        }
    }
}
