import Accounts
public import EventStream
import Geodesy
import Positioning
public import RPC
public import Service
import Store
import TextCoding
import Tracking

/// The methods about devices and whom they carry: `devices.list`, `.update`, `.join` and `.leave`, and `position.current`.
public struct DeviceMethods: Sendable {
    private let store: LocationDatabase
    private let editor: Editor
    private let whereabouts: Whereabouts

    /// The longest title of a device, in characters.
    private static let longestTitle = 200

    /// The methods of a companion.
    public init(_ context: ServiceContext) {
        store = context.store
        editor = context.editor
        whereabouts = Whereabouts(store: store, present: context.present)
    }

    /// The methods.
    public var all: [Method<Principal>] {
        [
            .stored(
                "devices.list", "The devices that have had a fix or a name, by name.",
                result: .object([.required("devices", .array(of: Self.device), "The devices.")]), right: .read,
                handler: list),
            .stored(
                "devices.update", "Changes what a device is called or whom it carries, or makes it the primary one.",
                parameters: [
                    Self.name,
                    .optional(
                        "title", .string(length: 0...Self.longestTitle),
                        "What people call it; an empty text takes it away."),
                    .optional(
                        "primary", .boolean,
                        "True makes it the device that is meant where none is named, in place of another."),
                    .optional(
                        "people", .array(of: Self.person, count: 0...Carrying.most),
                        "The ids of those whom it carries, in place of those before; their list its notifications reach."
                    ),
                ],
                result: Self.device, errors: [.notFound, .conflict, .invalidValue], right: .change, handler: update),
            .stored(
                "devices.join", "Says that a device carries you, so that \"here\" is where it is.",
                parameters: [Self.name],
                result: Self.device, errors: [.notFound, .conflict], right: .person, handler: join),
            .stored(
                "devices.leave", "Says that a device carries you no longer.", parameters: [Self.name],
                result: Self.device, errors: [.notFound], right: .person, handler: leave),
            .stored(
                "position.current", "The last accepted fix of a device, however old.",
                parameters: [
                    .optional(
                        "device", Schema.deviceName,
                        "The device; if left out, the one that carries you, else the primary one.")
                ],
                result: .object([.required("device", .string, "The device's name.")] + Self.fix),
                errors: [.notFound, .unavailable], right: .read, handler: position),
        ]
    }

    private static let name = Field.required("device", Schema.deviceName, "The device's name.")
    private static let person = Schema.string(length: 1...Schema.longestDeviceName)

    private static let device = Schema.object([
        .required("name", .string, "Its name."),
        .optional("title", .string, "What people call it."),
        .required("primary", .boolean, "Whether it is meant where no device is named."),
        .optional(
            "last",
            .object([
                .required("time", Schema.time, "When."), .required("lat", Schema.latitude, "Degrees north."),
                .required("lon", Schema.longitude, "Degrees east."),
            ]), "When and where its last fix was; left out before any."),
        .optional(
            "people", .array(of: person),
            "The ids of those whom it carries; only they and administrators see them."),
    ])

    private static let fix: [Field] = [
        .required("time", Schema.time, "When it was measured."),
        .required("lat", Schema.latitude, "Degrees north."),
        .required("lon", Schema.longitude, "Degrees east."),
        .optional("alt", .number, "Metres above mean sea level."),
        .optional("speed", .number, "Metres per second."),
        .optional("track", .number, "Degrees clockwise from true north."),
        .optional("accuracy", .number, "The radius in metres that holds the true position in 95 % of cases."),
        .optional("mode", .integer(in: 2...3), "2 for a fix without height, 3 for one with."),
    ]

    @Sendable private func list(_ call: Call<Principal>) async throws -> JSONText {
        let devices = try await whereabouts.devices()
        let people = try await store.read { db in
            try devices.map { try Carrying.people(on: $0.name, for: call.viewer, in: db) }
        }
        return .object { json in
            json.array("devices") { json in
                for (device, people) in zip(devices, people) {
                    json.object { device.writeMembers(to: &$0, people: people) }
                }
            }
        }
    }

    @Sendable private func update(_ call: Call<Principal>) async throws -> JSONText {
        let title: String? = try call.optional("title")
        let primary: Bool? = try call.optional("primary")
        let people: [String]? = try call.optional("people")
        let device = try await whereabouts.device(try call.value("device"))
        let name = device.name
        if primary == false, device.isPrimary {
            throw RPCError.conflict("\(name) is the primary device; make another one primary in its place.")
        }
        if title != nil || primary == true || people != nil {
            try await editor.change { db, _ in
                try Devices.add(name, to: db)
                if let title { try Devices.setTitle(title.isEmpty ? nil : title, of: name, in: db) }
                if primary == true { try Devices.makePrimary(name, in: db) }
                if let people { try Carrying.set(people, on: name, in: db) }
            }
        }
        return try await answer(name, to: call)
    }

    @Sendable private func join(_ call: Call<Principal>) async throws -> JSONText {
        let id = try call.person()
        let name = try await whereabouts.device(try call.value("device")).name
        try await editor.change { db, _ in
            let person = try People.get(id, in: db)
            try Devices.add(name, to: db)
            try Carrying.add(person, to: name, in: db)
            guard try Carrying.count(on: name, in: db) <= Carrying.most else {
                throw RPCError.conflict("\(name) carries \(Carrying.most) people already; one must leave it first.")
            }
        }
        return try await answer(name, to: call)
    }

    @Sendable private func leave(_ call: Call<Principal>) async throws -> JSONText {
        let id = try call.person()
        let name = try await whereabouts.device(try call.value("device")).name
        try await editor.change { db, _ in try Carrying.remove(People.get(id, in: db), from: name, in: db) }
        return try await answer(name, to: call)
    }

    /// A device as it is now.
    private func answer(_ name: String, to call: Call<Principal>) async throws -> JSONText {
        let device = try await whereabouts.device(name)
        let people = try await store.read { try Carrying.people(on: name, for: call.viewer, in: $0) }
        return .object { device.writeMembers(to: &$0, people: people) }
    }

    @Sendable private func position(_ call: Call<Principal>) async throws -> JSONText {
        let (device, fix) = try await whereabouts.lastFix(of: call.optional("device"), for: call.caller.person)
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
    fileprivate func writeMembers(to json: inout JSONWriter, people: [String]?) {
        json.member("name", name)
        json.member("title", title)
        json.member("primary", isPrimary)
        if let last {
            json.object("last") { json in
                json.member("time", last.time?.description)
                json.place(last.coordinate)
            }
        }
        guard let people else { return }
        json.array("people") { json in
            for person in people { json.string(person) }
        }
    }
}
