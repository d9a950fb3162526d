package import Callers
import GRDB
package import Geodesy
package import Positioning
package import RPC
import Synchronization
package import TestSupport
import Testing
package import Time
package import Tracking
package import WebPush
import WebServer

@testable package import Daemon
@testable package import People
@testable package import Photos
@testable package import Service
@testable package import Store

/// A stand-in for the daemon's current state: positions, open trips and the geofence index.
package final class FakeLiveState: LiveState {
    private let state = Mutex(State())

    private struct State {
        var positions: [String: Fix] = [:]
        var openTrips: [String: TripSummary] = [:]
        var index = GeofenceIndex()
        var changes: [GeofenceChange] = []
        var told: [EventRecord] = []
        var speedLimits: [String: Speed?] = [:]
    }

    package init() {}

    package func positions() async -> [String: Fix] { state.withLock { $0.positions } }
    package func openTrips() async -> [String: TripSummary] { state.withLock { $0.openTrips } }
    package func policy() async -> TrackingPolicy { TrackingPolicy() }
    package func nearest(to place: Coordinate, limit: Int, kind: Geofence.Kind) async -> [GeofenceIndex.Neighbor] {
        index.nearest(to: place, limit: limit, kind: kind)
    }
    package func explain(
        _ question: Explanation.Question, _ geofence: Geofence.Identity, device: String
    ) async -> (geofence: Geofence, explanation: Explanation)? { nil }
    package func historyBegin(of device: String) async -> Timestamp? { nil }
    package func watch(_ changes: [GeofenceChange]) async {
        state.withLock { state in
            state.changes += changes
            state.index.apply(changes)
        }
    }

    package func publish(_ events: [EventRecord]) async { state.withLock { $0.told += events } }

    package func limitSpeeds(_ limits: [String: Speed?]) async {
        state.withLock { $0.speedLimits.merge(limits) { $1 } }
    }

    /// The limits of speed that were changed.
    package var speedLimits: [String: Speed?] { state.withLock { $0.speedLimits } }
    /// The events that subscribers have received.
    package var told: [EventRecord] { state.withLock { $0.told } }
    /// The events of notifications among ``told``.
    package var notifications: [EventRecord] { told.filter { $0.type == "notification" } }
    package var index: GeofenceIndex { state.withLock { $0.index } }
    package func place(_ device: String, at fix: Fix) { state.withLock { $0.positions[device] = fix } }
    package func open(_ trip: TripSummary) { state.withLock { $0.openTrips[trip.device] = trip } }

    /// Returns the changes of geofences since the last call.
    package func drainChanges() -> [GeofenceChange] {
        state.withLock { state in
            defer { state.changes = [] }
            return state.changes
        }
    }
}

/// A clock that stands still until a test sets it.
package final class FakeClock: Sendable {
    private let now = Mutex(moment(0))

    package var time: Timestamp {
        get { now.withLock { $0 } }
        set { now.withLock { $0 = newValue } }
    }
}

extension LocationDatabase {
    private static let template = Result { try temporary(migrations: FeatureList.standard.migrations) }

    /// Returns an empty store in memory, copied from a template.
    ///
    /// All copies have the same log name.
    package static func fresh() throws -> LocationDatabase { try template.get().copy() }

    /// Returns a copy in memory.
    package func copy() throws -> LocationDatabase {
        var configuration = Configuration()
        configuration.makeSmallPages()
        configuration.addFunctions()
        let copy = try DatabaseQueue(configuration: configuration)
        try queue.backup(to: copy)
        return LocationDatabase(path: nil, queue: copy)
    }
}

/// The features and their methods over a store of their own.
package struct CoreFixture {
    package let store: LocationDatabase
    package let liveState = FakeLiveState()
    package let clock = FakeClock()
    package let features: Features
    package let hook: String?
    /// The folder of the maps.
    package let maps: TemporaryFolder
    package let table: MethodTable<Principal>

    /// Makes the features over `store`, a fresh one by default, with `kinds` as additional kinds of subjects.
    package init(
        accounts: AccountSettings = AccountSettings(), media: MediaSettings = MediaSettings(), hook: String? = nil,
        limits: SendingLimits = SendingLimits(), kinds: [any SubjectKind] = [], store: LocationDatabase? = nil,
        calls: FileCalls = FileCalls(), pauses: any Clock<Duration> = ContinuousClock(), push: WebPush = WebPush()
    ) throws {
        self.store = try store ?? .fresh()
        self.hook = hook
        var more = Feature()
        more.subjects = kinds
        let now: @Sendable () -> Timestamp = { [clock] in clock.time }
        features = Features(
            store: self.store, liveState: liveState,
            accounts: Accounts(
                settings: accounts,
                passwords: Passwords(parameters: .init(logRounds: 4, blockSize: 8, parallelism: 1)), clock: pauses),
            media: Media(of: self.store, settings: media, calls: calls, now: now), push: push, limits: limits,
            more: [more], now: now)
        var table = MethodTable<Principal>(
            title: "Test", version: "1", onFailure: { Issue.record("\($0) failed: \($1)") },
            interceptor: { [repeated = RepeatedCalls(features.context)] in try await repeated.run($0) })
        table.add(features.methods)
        maps = try TemporaryFolder()
        table.add(MapMethods(MapFolder(maps.path), features.context).all)
        self.table = table
    }

    package var context: ServiceContext { features.context }

    /// A connection of an administrator who is not signed in.
    package static let admin = connection([.read, .change])
    /// A connection without administrator rights, not signed in.
    package static let guest = connection([.read])

    /// Returns a new connection, signed in as `person` unless that is `nil`.
    package static func connection(
        _ rights: Set<AccessRight> = [.read], as person: String? = nil, user: UInt32 = 1000
    ) -> Principal {
        let connection = Principal(
            number: 1, origin: .user(user), rights: rights)
        connection.identity = person.map { Principal.Identity(person: $0) }
        return connection
    }

    /// Adds people with the proven address `ID@example.org`, the capitalised id as first name, and the last name
    /// Test.
    package func people(_ ids: String...) throws {
        try store.write { db in
            for id in ids {
                try db.execute(
                    sql: """
                        INSERT INTO person (id, first_name, last_name, name_key, email, joined, proven)
                        VALUES (?, ?, 'Test', ?, ?, ?, ?)
                        """,
                    arguments: [
                        id, id.prefix(1).uppercased() + id.dropFirst(), Person.nameKey(id, "test"), "\(id)@example.org",
                        clock.time.milliseconds, clock.time.milliseconds,
                    ])
            }
        }
    }

    /// Calls a method as a person without administrator rights; see ``call(_:_:from:)``.
    @discardableResult
    package func call(as person: String, _ method: String, _ parameters: JSONObject = [:]) async throws -> JSONValue {
        try await call(method, parameters, from: Self.connection(as: person))
    }

    /// Returns the error of a person's call, or `nil` if it succeeds.
    package func error(as person: String, _ method: String, _ parameters: JSONObject = [:]) async throws -> RPCError? {
        try await error(method, parameters, from: Self.connection(as: person))
    }

    /// Calls a method as an administrator or as a guest; see ``call(_:_:from:)``.
    @discardableResult
    package func call(_ method: String, _ parameters: JSONObject = [:], isGuest: Bool = false) async throws -> JSONValue
    {
        try await call(method, parameters, from: isGuest ? Self.guest : Self.admin)
    }

    /// Calls a method and checks its answer against the method's declaration.
    @discardableResult
    package func call(_ method: String, _ parameters: JSONObject, from connection: Principal) async throws -> JSONValue
    {
        let request = Request(id: .integer(1), method: method, parameters: .named(parameters))
        let text = try await table.dispatch(request, from: connection).get()
        #expect(text.bytes.count < LineFraming.maximumLength - 1000)
        let value = try JSONValue(parsing: text.bytes.span)
        let declaration = try #require(table.methods.first { $0.name == method })
        #expect(declaration.result.fault(in: value) == nil, "\(method) answers what it does not declare")
        return value
    }

    /// Returns the error of an administrator's or a guest's call, or `nil` if it succeeds.
    package func error(_ method: String, _ parameters: JSONObject, isGuest: Bool = false) async throws -> RPCError? {
        try await error(method, parameters, from: isGuest ? Self.guest : Self.admin)
    }

    /// Returns the error of a call, or `nil` if it succeeds.
    package func error(_ method: String, _ parameters: JSONObject, from connection: Principal) async throws -> RPCError?
    {
        do {
            _ = try await call(method, parameters, from: connection)
            return nil
        } catch let error as RPCError {
            let declaration = try #require(table.methods.first { $0.name == method })
            let isKnown = declaration.errors.map(RPCError.Code.init).contains(error.code)
            #expect(isKnown || error.code == .invalidValue || error.code == .notAllowed, "\(method): \(error)")
            return error
        }
    }

    /// Returns all pages of a list, up to the first one without `next`.
    package func pages(_ method: String, _ parameters: JSONObject, of list: String) async throws -> [[JSONValue]] {
        var parameters = parameters
        var pages: [[JSONValue]] = []
        while true {
            let answer = try await call(method, parameters)
            pages.append(answer[list].elements)
            guard let next = answer["next"] else { return pages }
            parameters["after"] = next
        }
    }

    /// Stores a trip of a device with points one second apart from `start` on.
    ///
    /// The trip stays open if `isOpen`.
    @discardableResult
    package func record(_ device: String, at start: Double, points: Int = 3, isOpen: Bool = false) throws -> TripSummary
    {
        var trip = TripSummary(device: device, start: moment(start))
        var pending = PendingCommit()
        let fixes = (0..<points).map { fix(start + Double($0), north: Int32($0) * 1000) }
        pending.changes[device] = [.tripBegan(trip)] + fixes.map { .point($0, gap: $0 == fixes.first) }
        if !isOpen {
            trip.end = moment(start + Double(max(0, points - 1)))
            trip.distance = .meters(1234.56)
            trip.fixes = points
            pending.changes[device]?.append(.tripEnded(trip))
        }
        _ = try store.commit(pending)
        return trip
    }

    /// Records a stop of a device; it goes on if `end` is `nil`.
    @discardableResult
    package func stop(_ device: String, from start: Double, to end: Double?) throws -> StopSummary {
        var stop = StopSummary(device: device, start: moment(start), place: fix(start).coordinate)
        stop.end = end.map(moment)
        var pending = PendingCommit()
        pending.changes[device] = [.stopBegan(stop)]
        _ = try store.commit(pending)
        return stop
    }
}

/// Returns the time that many seconds after 2026-05-01 10:00:00 UTC.
package func moment(_ seconds: Double) -> Timestamp {
    Timestamp(milliseconds: 1_777_629_600_000 + Int64((seconds * 1000).rounded()))
}

/// Returns a fix at 52.37 N 4.89 E, moved north by that many units of 1e-7 degrees.
package func fix(_ seconds: Double, north: Int32 = 0) -> Fix {
    Fix(
        time: moment(seconds),
        coordinate: Coordinate(latitudeE7: 523_700_000 + north, longitudeE7: 48_900_000).known)
}

extension Optional where Wrapped == JSONValue {
    /// The elements of an array; empty for any other value.
    package var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    package var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    package var number: Double? { self.flatMap { Double(json: $0) } }
}

extension [JSONValue] {
    /// The ids of the objects.
    package var ids: [String] { compactMap { $0["id"].text } }
}
