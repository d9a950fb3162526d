public import Callers
import Geodesy
import People
import Positioning
public import RPC
public import Service
import Sights
import Store

/// The RPC methods about devices and the people whom they carry: `devices.list`, `.update`, `.join` and `.leave`, and
/// `position.current`.
public struct DeviceMethods: Sendable {
    private let store: LocationDatabase
    private let editor: Editor
    private let deviceDirectory: DeviceDirectory
    private let liveState: any LiveState

    /// The most devices in one page.
    private static let largestPage = 1000
    /// The longest title of a device, in characters.
    private static let longestTitle = 200

    /// Creates the methods for a service.
    public init(_ context: ServiceContext) {
        store = context.store
        editor = context.editor
        liveState = context.liveState
        deviceDirectory = DeviceDirectory(store: store, liveState: context.liveState)
    }

    /// All methods about devices.
    public var all: [Method<Principal>] {
        [
            .stored(
                "devices.list", "Lists the devices that have had a fix or a name, sorted by name.",
                Parameter<PageRequest<String>>.page(
                    of: "devices.list", upTo: Self.largestPage, default: Self.largestPage),
                answers: .page("devices", "The devices."), errors: [.invalidValue], right: .read, handler: list),
            .stored(
                "devices.update",
                "Changes the title, the passengers, the regions or the speed limit of a device, or makes it the primary one.",
                Self.name,
                Parameter<String?>.optional(
                    "title", .string(length: 0...Self.longestTitle),
                    "The title; an empty text removes it."),
                Parameter<Bool?>.optional(
                    "primary", .boolean,
                    "True makes this the primary device, which is used where none is named, in place of another."),
                Parameter<[String]?>.optional(
                    "people",
                    .array(of: .string(length: 1...Schema.longestDeviceName), count: 0...Passengers.maximumCount),
                    "The ids of the people whom the device carries; replaces the list. They get its notifications."),
                Parameter<Bool?>.optional(
                    "regions", .boolean,
                    "Whether OwnTracks on the device's phone is told the 15 nearest sights, to watch them by itself."),
                Parameter<Double?>.optional(
                    "speed_limit", .number(in: 0...SightRules.greatestLimit),
                    "The speed in metres a second above which the device is reported, wherever it is; 0 for that of the configuration."
                ),
                answers: KnownDevice.shape, errors: [.notFound, .conflict, .invalidValue], right: .change,
                handler: update),
            .stored(
                "devices.join", "Adds you to the passengers of a device, so that \"here\" is the device's position.",
                Self.name, answers: KnownDevice.shape, errors: [.notFound, .conflict], right: .person, handler: join),
            .stored(
                "devices.leave", "Removes you from the passengers of a device.", Self.name, answers: KnownDevice.shape,
                errors: [.notFound], right: .person, handler: leave),
            .stored(
                "position.current", "Returns the last accepted fix of a device, regardless of its age.",
                .optional(
                    "device", .deviceName,
                    "The device. By default the one that carries you, or else the primary device."),
                answers: CurrentPosition.shape, errors: [.notFound, .unavailable], right: .read, handler: position),
        ]
    }

    private static let name = Parameter<String>.required("device", .deviceName, "The device's name.")

    @Sendable private func list(
        _ call: Call<Principal>, asked: PageRequest<String>
    ) async throws -> Page<KnownDevice> {
        let viewer = call.viewer
        let (people, withRegions) = try await store.read { db in
            (try Passengers.people(for: viewer, in: db), try ReportedDevices.namesWithRegions(in: db))
        }
        var page = asked.page(of: KnownDevice.self)
        for device in try await deviceDirectory.devices(for: viewer) {
            if let after = asked.after, device.name <= after { continue }
            let known = KnownDevice(
                device, people: people[device.name] ?? (viewer.isAdmin ? [] : nil),
                hasRegions: withRegions.contains(device.name))
            guard page.append(known, at: device.name) else { break }
        }
        return page
    }

    @Sendable private func update(
        _ call: Call<Principal>, name: String, title: String?, primary: Bool?, people: [String]?, regions: Bool?,
        limit: Double?
    ) async throws -> KnownDevice {
        let device = try await deviceDirectory.device(name)
        if primary == false, device.isPrimary {
            throw Refusal.conflict("\(name) is the primary device. To replace it, make another device the primary one.")
        }
        if title != nil || primary == true || people != nil || regions != nil || limit != nil {
            try await editor.change { db, consequences in
                try Devices.add(name, to: db)
                if let title { try Devices.setTitle(title.isEmpty ? nil : title, of: name, in: db) }
                if primary == true { try Devices.makePrimary(name, in: db) }
                if let people { try Passengers.set(people, on: name, in: db) }
                if let regions, try !ReportedDevices.setRegions(regions, of: name, in: db) {
                    throw Refusal.conflict("\(name) is no phone. \"waymark devices secret \(name)\" makes it one.")
                }
                if let limit {
                    let speed: Speed? = limit > 0 ? .metersPerSecond(limit) : nil
                    try Devices.setSpeedLimit(speed, of: name, in: db)
                    consequences.speedLimits.updateValue(speed, forKey: name)
                }
            }
        }
        return try await answer(name, to: call)
    }

    @Sendable private func join(_ call: Call<Principal>, name: String) async throws -> KnownDevice {
        let id = try call.person()
        _ = try await deviceDirectory.device(name, for: call.viewer)
        try await editor.change { db, _ in try People.addPassenger(People.get(id, in: db).number, name, in: db) }
        return try await answer(name, to: call)
    }

    @Sendable private func leave(_ call: Call<Principal>, name: String) async throws -> KnownDevice {
        let id = try call.person()
        _ = try await deviceDirectory.device(name, for: call.viewer)
        try await editor.change { db, _ in try Passengers.remove(People.get(id, in: db), from: name, in: db) }
        return try await answer(name, to: call)
    }

    /// Returns a device in its current state, as the caller may see it.
    private func answer(_ name: String, to call: Call<Principal>) async throws -> KnownDevice {
        let viewer = call.viewer
        let (people, withRegions) = try await store.read { db in
            (try Passengers.people(on: name, for: viewer, in: db), try ReportedDevices.namesWithRegions(in: db))
        }
        var device = try await deviceDirectory.device(name)
        // Who has just left the device may not see any more where it is.
        if try await !deviceDirectory.access(of: viewer).sees(name) { device.last = nil }
        return KnownDevice(device, people: people, hasRegions: withRegions.contains(name))
    }

    @Sendable private func position(_ call: Call<Principal>, name: String?) async throws -> CurrentPosition {
        let (device, fix) = try await deviceDirectory.lastFix(of: name, for: call.viewer)
        guard let time = fix.time else { throw Refusal.unavailable("\(device) has not had a fix with a time yet.") }
        return CurrentPosition(device: device, time: time, fix: fix, age: await liveState.age(of: device))
    }
}
