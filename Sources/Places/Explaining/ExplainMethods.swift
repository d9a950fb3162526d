public import EventStream
import Geodesy
import Positioning
public import RPC
public import Service
public import Store
import Tracking

/// The method that says why events came, or did not.
public struct ExplainMethods: Sendable {
    private let store: LocationDatabase
    private let present: any Present
    private let whereabouts: Whereabouts

    /// The method over a store and what is live.
    public init(store: LocationDatabase, present: any Present) {
        self.store = store
        self.present = present
        whereabouts = Whereabouts(store: store, present: present)
    }

    /// The methods.
    public var all: [Method<Principal>] {
        [
            .stored(
                "geofences.explain",
                "Says for each fix about a moment why an event of a geofence came or did not: from the last "
                    + "\(FixHistory.length) fixes in memory, else from recorded trips.",
                .required(
                    "geofence", .string(length: 1...Self.longestIdentity),
                    "The geofence, as KIND/ID or the id of a sight."),
                .requiredTime("time", "The moment."),
                .optional("device", .deviceName, "The device; the primary one if left out."),
                .optional(
                    "window", .number(in: 0...Explanation.Question.longestWindow),
                    default: Explanation.Question.usualWindow,
                    "Seconds before and after the moment, \(Int(Explanation.Question.usualWindow)) if left out."),
                answers: ExplanationAnswer.shape, errors: [.notFound, .invalidValue, .unavailable], right: .read,
                handler: explain)
        ]
    }

    /// A kind, a slash, and the longest id.
    private static let longestIdentity = Sight.longestID + 16

    @Sendable private func explain(
        _ call: Call<Principal>, geofence: String, time: Timestamp, name: String?, window: Double
    ) async throws -> ExplanationAnswer {
        let question = Explanation.Question(time: time, window: window)
        let device = try await whereabouts.device(name).name
        let sight = try await sight(geofence)
        if let live = await present.explain(question, sight.geofence.identity, device: device) {
            return ExplanationAnswer(
                device: device, source: .memory, geofence: live.geofence, explanation: live.explanation)
        }
        let stored = try await store.read { try StoredFixes.explain(question, sight.geofence, device: device, in: $0) }
        guard let stored else { throw RPCError.notFound(await absence(of: time, device)) }
        return ExplanationAnswer(device: device, source: .trip, geofence: sight.geofence, explanation: stored)
    }

    private func sight(_ name: String) async throws -> Sight {
        var id = name
        for kind in Geofence.Kind.allCases where name.hasPrefix("\(kind.rawValue)/") {
            guard kind == .sight else { throw RPCError.notFound("There is no geofence \(name).") }
            id = String(name.dropFirst(kind.rawValue.utf8.count + 1))
        }
        guard let sight = try await store.read({ [id] in try SightStore.sight(id: id, in: $0) }) else {
            throw SightMethods.unknown(id)
        }
        return sight
    }

    private func absence(of time: Timestamp, _ device: String) async -> String {
        let memory =
            await present.historyBegin(of: device).map { "In memory are fixes since \($0). " }
            ?? "None is in memory. "
        return "No fix of \(device) about \(time) was kept. \(memory)"
            + "Of older ones the points of trips are kept, not those between trips nor any that were rejected."
    }
}
