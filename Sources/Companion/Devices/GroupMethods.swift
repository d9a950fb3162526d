import Callers
import GRDB
package import People
package import RPC
import Service
import Sights
import Store

/// The RPC methods about groups of devices: `groups.list`, `.create`, `.update` and `.remove`.
struct GroupMethods: Sendable {
    private let store: LocationDatabase
    private let editor: Editor

    /// The longest title of a group, in characters.
    private static let longestTitle = 200

    init(_ context: ServiceContext) {
        store = context.store
        editor = context.editor
    }

    /// All methods about groups.
    var all: [Method<Principal>] {
        [
            .stored(
                "groups.list", "Lists the groups of devices that you are in; administrators see all.",
                answers: .object {
                    Member("groups", .array(of: DeviceGroups.Group.shape), "The groups, sorted by title.") { $0 }
                }, right: .read
            ) { call in
                let viewer = call.viewer
                return try await store.read { try DeviceGroups.list(for: viewer, in: $0) }
            },
            .stored(
                "groups.create",
                "Creates a group of devices. From the first group on, people see only the devices that carry them, those of their groups, and the trips that they drove.",
                Parameter<String>.required("title", .string(length: 1...Self.longestTitle), "The title."),
                Parameter<String?>.optional("id", Self.idSchema, "A new id; by default made from the title."),
                Self.devices, Self.people, answers: DeviceGroups.Group.shape, errors: [.conflict, .invalidValue],
                right: .change, handler: create),
            .stored(
                "groups.update", "Changes the title, the devices or the people of a group.", Self.id,
                Parameter<String?>.optional("title", .string(length: 1...Self.longestTitle), "The new title."),
                Self.devices, Self.people, answers: DeviceGroups.Group.shape, errors: [.notFound, .invalidValue],
                right: .change, handler: update),
            .stored(
                "groups.remove",
                "Removes a group of devices. Without the last group, everybody sees every device again.", Self.id,
                answers: AnswerShape<String>.object { Member("id", .text, "The id of the removed group.") { $0 } },
                errors: [.notFound, .conflict], right: .change,
                handler: remove),
        ]
    }

    private static let idSchema = Schema.string(length: 1...Schema.longestDeviceName)
    private static let id = Parameter<String>.required("id", idSchema, "The group's id.")
    private static let devices = Parameter<[String]?>.optional(
        "devices", .array(of: .deviceName, count: 0...DeviceGroups.maximumMembers),
        "The names of the devices; replaces the list.")
    private static let people = Parameter<[String]?>.optional(
        "people", .array(of: .string(length: 1...Schema.longestDeviceName), count: 0...DeviceGroups.maximumMembers),
        "The ids of the people who see these devices; replaces the list.")

    @Sendable private func create(
        _ call: Call<Principal>, title: String, id: String?, devices: [String]?, people: [String]?
    ) async throws -> DeviceGroups.Group {
        let title = try Self.checked(title)
        return try await editor.change { db, _ in
            let id = try id ?? Slug.id(for: title, or: "group") { try DeviceGroups.find($0, in: db) == nil }
            try DeviceGroups.add(id, title: title, in: db)
            let group = try Self.group(id, in: db)
            if let devices { try DeviceGroups.setDevices(devices, of: group, in: db) }
            if let people { try DeviceGroups.setPeople(people, of: group, in: db) }
            return try Self.group(id, in: db)
        }
    }

    @Sendable private func update(
        _ call: Call<Principal>, id: String, title: String?, devices: [String]?, people: [String]?
    ) async throws -> DeviceGroups.Group {
        let title = try title.map { try Self.checked($0) }
        return try await editor.change { db, consequences in
            let group = try Self.group(id, in: db)
            if let title { try DeviceGroups.setTitle(title, of: group, in: db) }
            if let people { try DeviceGroups.setPeople(people, of: group, in: db) }
            if let devices, Set(devices) != Set(group.devices) {
                try DeviceGroups.setDevices(devices, of: group, in: db)
                consequences.geofences += try SightStore.watchAgain(ofGroup: id, in: db)
            }
            return try Self.group(id, in: db)
        }
    }

    @Sendable private func remove(_ call: Call<Principal>, id: String) async throws -> String {
        try await editor.change { db, _ in
            let group = try Self.group(id, in: db)
            if let sight = try SightStore.sights(ofGroup: id, in: db).first {
                throw Refusal.conflict(
                    "The sight \(sight.id) is watched for the group \(id). Change the sight with sights.update first.")
            }
            try DeviceGroups.remove(group, in: db)
            return id
        }
    }

    private static func checked(_ title: String) throws(Refusal) -> String {
        guard let title = title.trimmed else { throw Refusal.invalid("title", "must not be empty") }
        return title
    }

    private static func group(_ id: String, in db: Database) throws -> DeviceGroups.Group {
        guard let group = try DeviceGroups.find(id, in: db) else {
            throw Refusal.notFound("There is no group \(id). Call groups.list to see the groups.")
        }
        return group
    }
}

extension DeviceGroups.Group: Answerable {
    package static let shape = AnswerShape<DeviceGroups.Group>.object {
        Member("id", .text, "The id.") { $0.id }
        Member("title", .text, "The title.") { $0.title }
        Member("devices", .array(of: .text), "The names of the devices.") { $0.devices }
        Member("people", .array(of: .text), "The ids of the people who see these devices.") { $0.people }
    }
}
