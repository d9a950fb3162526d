public import Callers
import GRDB
import Geodesy
import People
public import RPC
public import Service
import Store

/// The RPC methods about anchors: `anchors.get`, `.auto`, `.acknowledge` and `.raise`.
public struct AnchorMethods: Sendable {
    private let store: LocationDatabase
    private let editor: Editor
    private let deviceDirectory: DeviceDirectory

    /// Creates the methods for a service.
    public init(_ context: ServiceContext) {
        store = context.store
        editor = context.editor
        deviceDirectory = DeviceDirectory(store: store, liveState: context.liveState)
    }

    /// All methods about anchors.
    public var all: [Method<Principal>] {
        [
            .stored(
                "anchors.get", "Returns the anchors of a device, and whether one drops by itself when it stops.",
                Self.device, answers: Answer.shape, errors: [.notFound], right: .read, handler: get),
            .stored(
                "anchors.auto",
                "Makes the anchor of a device drop by itself whenever the device stops, or ends that.",
                Self.device,
                Parameter<Double>.optional(
                    "radius", .number(in: 1...Sight.greatestRadius.meters), default: Anchors.usualRadius,
                    "The radius of the circle in metres."),
                Parameter<Bool>.optional(
                    "off", .boolean, default: false, "True ends it; an anchor that is down stays until it is raised."),
                answers: Answer.shape, errors: [.notFound], right: .contribute, handler: auto),
            .stored(
                "anchors.acknowledge",
                "Ends the alarm of a device's anchors; one that dropped by itself is raised if the device has left it.",
                Self.device, answers: Answer.shape, errors: [.notFound], right: .contribute,
                handler: acknowledge),
            .stored(
                "anchors.raise", "Removes the anchors of a device.", Self.device, answers: Answer.shape,
                errors: [.notFound], right: .contribute, handler: raise),
        ]
    }

    private static let device = Parameter<String>.required("device", .deviceName, "The device's name.")

    private struct Answer: Answerable, Sendable {
        var device: String
        var radius: Distance?
        var anchors: [Sight]

        static let shape = AnswerShape<Answer>.object {
            Member("device", .text, "The device.") { $0.device }
            Member.optional(
                "auto", .number(decimals: 1),
                "The radius in metres of the anchor that drops by itself when the device stops; absent if none does."
            ) { $0.radius?.meters }
            Member("anchors", .array(of: Sight.shape), "The anchors that are down.") { $0.anchors }
        }

        init(of device: String, in db: Database) throws {
            self.device = device
            radius = try Anchors.rule(of: device, in: db)?.radius
            anchors = try Anchors.all(of: device, in: db)
        }
    }

    @Sendable private func get(_ call: Call<Principal>, name: String) async throws -> Answer {
        let device = try await deviceDirectory.device(name, for: call.viewer).name
        return try await store.read { try Answer(of: device, in: $0) }
    }

    @Sendable private func auto(
        _ call: Call<Principal>, name: String, radius: Double, isOff: Bool
    ) async throws -> Answer {
        let (viewer, device) = (call.viewer, try await deviceDirectory.device(name, for: call.viewer).name)
        return try await editor.change { db, consequences in
            guard try Self.commands(viewer, device, in: db) else { throw Self.refusal(device) }
            try Anchors.setRule(isOff ? nil : radius, of: device, in: db)
            // A device that is at a stop already has its anchor at once.
            if !isOff { try Anchors.drop(device, in: db, &consequences) }
            return try Answer(of: device, in: db)
        }
    }

    @Sendable private func acknowledge(_ call: Call<Principal>, name: String) async throws -> Answer {
        let (viewer, device) = (call.viewer, try await deviceDirectory.device(name, for: call.viewer).name)
        return try await editor.change { db, consequences in
            let anchors = try Self.anchors(of: device, for: viewer, in: db)
            try Anchors.acknowledge(anchors, of: device, in: db, &consequences)
            return try Answer(of: device, in: db)
        }
    }

    @Sendable private func raise(_ call: Call<Principal>, name: String) async throws -> Answer {
        let (viewer, device) = (call.viewer, try await deviceDirectory.device(name, for: call.viewer).name)
        return try await editor.change { db, consequences in
            for anchor in try Self.anchors(of: device, for: viewer, in: db) {
                if let change = try SightStore.remove(anchor.id, in: db) { consequences.geofences.append(change) }
            }
            return try Answer(of: device, in: db)
        }
    }

    /// Returns the anchors of a device that a viewer may raise: all of them for administrators and the people on board,
    /// and one's own for everybody else.
    ///
    /// - Throws: `Refusal.notAllowed` if the viewer may raise none.
    private static func anchors(of device: String, for viewer: Viewer, in db: Database) throws -> [Sight] {
        let anchors = try Anchors.all(of: device, in: db)
        guard try !commands(viewer, device, in: db) else { return anchors }
        let own = anchors.filter { $0.owner != nil && $0.owner == viewer.person }
        guard !own.isEmpty else { throw refusal(device) }
        return own
    }

    /// Whether a viewer is an administrator or on board of a device.
    private static func commands(_ viewer: Viewer, _ device: String, in db: Database) throws -> Bool {
        guard !viewer.isAdmin else { return true }
        guard let person = viewer.person else { return false }
        return try People.passengers(of: device, in: db).contains(person)
    }

    private static func refusal(_ device: String) -> Refusal {
        .notAllowed("You are not on board of \(device). Only the people on board and administrators may do this.")
    }
}
