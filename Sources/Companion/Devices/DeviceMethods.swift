import Geodesy
import Positioning
public import RPC
public import SocketServer
public import Store
import TextCoding
import Tracking

/// The methods about devices: `devices.list`, `devices.update` and `position.current`.
public struct DeviceMethods: Sendable {
    private let store: LocationDatabase
    private let whereabouts: Whereabouts

    /// The longest title of a device, in characters.
    private static let longestTitle = 200

    /// The methods over a store and what is live.
    public init(store: LocationDatabase, present: any Present) {
        self.store = store
        whereabouts = Whereabouts(store: store, present: present)
    }

    /// The methods.
    public var all: [Method<Connection>] {
        [
            .stored(
                "devices.list", "The devices that have had a fix or a name, by name.",
                result: .object([.required("devices", .array(of: Self.device), "The devices.")]), right: .read,
                handler: list),
            .stored(
                "devices.update", "Changes what a device is called, or makes it the primary one.",
                parameters: [
                    .required("device", Parameter.name, "The device's name."),
                    .optional(
                        "title", .string(length: 0...Self.longestTitle),
                        "What people call it; an empty text takes it away."),
                    .optional(
                        "primary", .boolean,
                        "True makes it the device that is meant where none is named, in place of another."),
                ],
                result: Self.device, errors: [.notFound, .conflict], right: .change, handler: update),
            .stored(
                "position.current", "The last accepted fix of a device, however old.",
                parameters: [.optional("device", Parameter.name, "The device; the primary one if left out.")],
                result: .object([.required("device", .string, "The device's name.")] + Self.fix),
                errors: [.notFound, .unavailable], right: .read, handler: position),
        ]
    }

    private static let device = Schema.object([
        .required("name", .string, "Its name."),
        .optional("title", .string, "What people call it."),
        .required("primary", .boolean, "Whether it is meant where no device is named."),
        .optional(
            "last",
            .object([
                .required("time", Parameter.time, "When."), .required("lat", Parameter.latitude, "Degrees north."),
                .required("lon", Parameter.longitude, "Degrees east."),
            ]), "When and where its last fix was; left out before any."),
    ])

    private static let fix: [Field] = [
        .required("time", Parameter.time, "When it was measured."),
        .required("lat", Parameter.latitude, "Degrees north."),
        .required("lon", Parameter.longitude, "Degrees east."),
        .optional("alt", .number, "Metres above mean sea level."),
        .optional("speed", .number, "Metres per second."),
        .optional("track", .number, "Degrees clockwise from true north."),
        .optional("accuracy", .number, "The radius in metres that holds the true position in 95 % of cases."),
        .optional("mode", .integer(in: 2...3), "2 for a fix without height, 3 for one with."),
    ]

    @Sendable private func list(_ call: Call<Connection>) async throws -> JSONText {
        let devices = try await whereabouts.devices()
        return .object { json in
            json.array("devices") { json in
                for device in devices { json.object { device.writeMembers(to: &$0) } }
            }
        }
    }

    @Sendable private func update(_ call: Call<Connection>) async throws -> JSONText {
        let title: String? = try call.optional("title")
        let primary: Bool? = try call.optional("primary")
        let device = try await whereabouts.device(try call.value("device"))
        let name = device.name
        if primary == false, device.isPrimary {
            throw RPCError.conflict("\(name) is the primary device; make another one primary in its place.")
        }
        if title != nil || primary == true {
            try await store.write { db in
                try Devices.add(name, to: db)
                if let title { try Devices.setTitle(title.isEmpty ? nil : title, of: name, in: db) }
                if primary == true { try Devices.makePrimary(name, in: db) }
            }
        }
        let changed = try await whereabouts.device(name)
        return .object { changed.writeMembers(to: &$0) }
    }

    @Sendable private func position(_ call: Call<Connection>) async throws -> JSONText {
        let (device, fix) = try await whereabouts.lastFix(of: call.optional("device"))
        return .object { json in
            json.member("device", device)
            json.member("time", fix.time?.description)
            json.place(fix.coordinate)
            json.motion(of: fix)
            json.member("mode", fix.mode?.rawValue)
        }
    }
}

extension Whereabouts.Device {
    fileprivate func writeMembers(to json: inout JSONWriter) {
        json.member("name", name)
        json.member("title", title)
        json.member("primary", isPrimary)
        guard let last else { return }
        json.object("last") { json in
            json.member("time", last.time?.description)
            json.place(last.coordinate)
        }
    }
}

extension JSONWriter {
    /// Writes what is known of a fix besides time and place.
    mutating func motion(of fix: Fix) {
        member("alt", fix.altitude?.meters, decimals: 1)
        member("speed", fix.speed?.metersPerSecond, decimals: 2)
        member("track", fix.track?.degrees, decimals: 1)
        member("accuracy", fix.accuracy?.meters, decimals: 1)
    }
}
