public import Callers
import GRDB
import Geodesy
import People
public import RPC
public import Service
import Store
import Time
import Tracking

/// The RPC method `geofences.explain`, which says why a geofence emitted an event or did not.
public struct ExplainMethods: Sendable {
    private let context: ServiceContext
    private let deviceDirectory: DeviceDirectory

    private var store: LocationDatabase { context.store }
    private var liveState: any LiveState { context.liveState }

    /// Creates the method for a service.
    public init(_ context: ServiceContext) {
        self.context = context
        deviceDirectory = DeviceDirectory(store: context.store, liveState: context.liveState)
    }

    /// The method `geofences.explain` alone.
    public var all: [Method<Principal>] {
        [
            .stored(
                "geofences.explain",
                "Explains for each fix around a moment why a geofence emitted an event or did not, from the last "
                    + "\(FixHistory.length) fixes in memory, or else from recorded trips.",
                .required(
                    "geofence", .string(length: 1...Self.longestIdentity),
                    "The geofence, as KIND/ID or the id of a sight."),
                .requiredTime("time", "The moment."),
                .optional("device", .deviceName, "The device; the primary device by default."),
                .optional(
                    "window", .number(in: 0...Explanation.Question.longestWindow),
                    default: Explanation.Question.defaultWindow,
                    "Seconds before and after the moment, \(Int(Explanation.Question.defaultWindow)) by default."),
                answers: ExplanationAnswer.shape, errors: [.notFound, .invalidValue, .unavailable], right: .read,
                handler: explain)
        ]
    }

    /// The longest name of a geofence: a kind, a slash, and the longest id.
    private static let longestIdentity = Sight.longestID + 16

    @Sendable private func explain(
        _ call: Call<Principal>, name: String, time: Timestamp, device: String?, window: Double
    ) async throws -> ExplanationAnswer {
        let question = Explanation.Question(time: time, window: window)
        let viewer = call.viewer
        let device = try await deviceDirectory.device(device, for: viewer).name
        let geofence = try await store.read { try find(name, for: viewer, in: $0) }
        if let live = await liveState.explain(question, geofence.identity, device: device) {
            return ExplanationAnswer(
                device: device, source: .memory, geofence: live.geofence, explanation: live.explanation)
        }
        let stored = try await store.read { try StoredFixes.explain(question, geofence, device: device, in: $0) }
        guard let stored else { throw Refusal.notFound(await absence(of: time, device)) }
        return ExplanationAnswer(device: device, source: .trip, geofence: geofence, explanation: stored)
    }

    /// Returns the geofence with a name, which is KIND/ID or the id of a sight.
    ///
    /// - Throws: `Refusal.notFound` if there is none, or the viewer may not see it.
    private func find(_ name: String, for viewer: Viewer, in db: Database) throws -> Geofence {
        guard let id = SubjectID(name), let source = context.geofences[Geofence.Kind(rawValue: id.kind)] else {
            guard let sight = try SightStore.sight(id: name, in: db), try SightAccess(for: viewer, in: db).sees(sight)
            else { throw SightMethods.unknown(name) }
            return sight.geofence
        }
        guard try context.subjects.find(id, for: viewer, in: db) != nil,
            let geofence = try source.geofence(id.id, in: db)
        else {
            throw id.kind == SightSubject.kind
                ? SightMethods.unknown(id.id) : Refusal.notFound("There is no geofence \(name).")
        }
        return geofence
    }

    private func absence(of time: Timestamp, _ device: String) async -> String {
        let memory =
            await liveState.historyBegin(of: device).map { "Memory holds fixes since \($0). " }
            ?? "Memory holds none. "
        return "No fix of \(device) around \(time) was kept. \(memory)"
            + "Of older fixes, only the points of trips are kept: no fixes between trips and no rejected fixes."
    }
}
