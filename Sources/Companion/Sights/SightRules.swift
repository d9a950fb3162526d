package import GRDB
import Gazetteer
package import Geodesy
import People
import RPC
package import Service
import TextCoding
import Time
package import Tracking

/// The rules of a sight's geofence: a limit of speed, the hours at which it is watched, and the devices that it is for.
public struct SightRules: Hashable, Sendable {
    /// The speed above which a device inside is reported; `nil` for none.
    package var speedLimit: Speed?
    /// The names of the only devices that the sight is watched for, sorted; empty for all.
    package var devices: [String] = []
    /// The ids of the only groups of devices that the sight is watched for, besides ``devices``, sorted.
    package var groups: [String] = []
    /// The names of the devices of these groups, sorted.
    private(set) var groupDevices: [String] = []
    /// The hours of the week at which the sight is watched, such as `Mo-Fr 08:00-17:00`; `nil` for always.
    package var active: String?
    /// The name of the time zone of these hours.
    package var zone: String?
    /// Whether leaving the sight is an alarm.
    package var isAlarm = false

    /// The most devices of a sight; a fleet with more watches for all of them.
    private static let mostDevices = 100
    /// The greatest limit, in metres a second; an airliner is slower.
    package static let greatestLimit = 300.0
    /// The longest text of hours, in bytes: several spans for each day.
    private static let longestHours = 400

    /// Whether there is no rule.
    package var isEmpty: Bool { self == SightRules() }

    /// The devices as a JSON array, as the store has them; `nil` for all.
    package var devicesText: String? { Self.text(devices) }

    /// The ids of the groups as a JSON array, as the store has them; `nil` for none.
    var groupsText: String? { Self.text(groups) }

    /// The names of all devices that the sight is watched for; `nil` for every device.
    package var watched: Set<String>? {
        devices.isEmpty && groups.isEmpty ? nil : Set(devices).union(groupDevices)
    }

    private static func text(_ list: [String]) -> String? {
        guard !list.isEmpty else { return nil }
        let text = JSONText.array { json in for element in list { json.string(element) } }
        return String(decoding: text.bytes, as: UTF8.self)
    }

    private static func list(_ text: String?) -> [String] {
        guard let text, let value = try? JSONValue(parsing: Array(text.utf8).span), case .array(let elements) = value
        else { return [] }
        return elements.compactMap { String(json: $0) }
    }

    package init() {}

    /// Creates rules from the columns of the store; what is damaged counts as no rule.
    package init(
        speedLimit: Double?, devicesText: String?, groupsText: String? = nil, groupDevicesText: String? = nil,
        active: String?, zone: String?, isAlarm: Bool
    ) {
        (self.active, self.zone, self.isAlarm) = (active, zone, isAlarm)
        self.speedLimit = speedLimit.flatMap { $0 > 0 ? .metersPerSecond($0) : nil }
        devices = Self.list(devicesText)
        groups = Self.list(groupsText)
        groupDevices = Self.list(groupDevicesText).sorted()
    }

    /// When and for which devices the geofence is watched; `nil` for always and all.
    package var watch: Geofence.Watch? {
        var hours: ActiveHours?
        if let active, let spans = try? ActiveHours.spans(from: active) {
            hours = ActiveHours(spans: spans, offsets: SightZone.offsets(of: zone ?? "") ?? [])
        }
        guard hours != nil || watched != nil else { return nil }
        guard let watched, watched.isEmpty else {
            return Geofence.Watch(hours: hours, devices: watched?.sorted() ?? [])
        }
        // No device has this name, and an empty list would stand for every device.
        return Geofence.Watch(hours: hours, devices: [""])
    }

    /// Gives hours without a time zone that of the nearest town.
    ///
    /// - Throws: `Refusal.invalid` if no town is near.
    package mutating func settleZone(at place: Coordinate, in db: Database) throws {
        guard active != nil, zone == nil else { return }
        guard let found = try PlaceNames.zone(at: place, in: db), SightZone.offsets(of: found) != nil else {
            throw Refusal.invalid("zone", "must be given, such as Europe/Amsterdam, because no town is known nearby")
        }
        zone = found
    }

    /// Finds the devices of the groups.
    ///
    /// - Parameter known: The ids of groups that are not looked for, because the sight has them already.
    /// - Throws: `Refusal.invalid` if there is no group with an id, or the viewer may not see it.
    package mutating func settleGroups(
        for viewer: Viewer, knowing known: [String] = [], in db: Database
    ) throws {
        guard !groups.isEmpty else { return groupDevices = [] }
        let seen = Set(try DeviceGroups.list(for: viewer, in: db).map(\.id)).union(known)
        if let unknown = groups.first(where: { !seen.contains($0) }) {
            throw Refusal.invalid("groups", "must be ids of groups; there is no group \(unknown)")
        }
        groupDevices = try DeviceGroups.devices(ofGroups: groups, in: db)
    }

    static let fields: [Field] = [
        .optional(
            "speed_limit", .number(in: 0...greatestLimit),
            "The speed in metres a second above which a device inside is reported; 0 for none."),
        .optional(
            "devices", .array(of: .deviceName, count: 0...mostDevices),
            "The only devices that the sight is watched for; an empty list for all."),
        .optional(
            "groups", .array(of: .string(length: 1...Schema.longestDeviceName), count: 0...mostDevices),
            "The ids of groups of devices that the sight is watched for besides; an empty list for none."),
        .optional(
            "active", .string(length: 0...longestHours),
            "The hours at which the sight is watched, such as Mo-Fr 08:00-17:00; Sa 10:00-12:00. An empty text for always."
        ),
        .optional(
            "zone", .string(length: 1...SightZone.longestName),
            "The time zone of these hours, by default that of the nearest town."),
        .optional(
            "alarm", .boolean,
            "Whether leaving the sight is an alarm: it is reported at once and again each minute until this is false."),
    ]

    /// Returns these rules with those that a call gives.
    func changed(by members: JSONObject) throws(Refusal) -> SightRules {
        var rules = self
        if let limit: Double = try members.value("speed_limit") {
            rules.speedLimit = limit > 0 ? .metersPerSecond(limit) : nil
        }
        if let devices: [String] = try members.value("devices") { rules.devices = Set(devices).sorted() }
        if let groups: [String] = try members.value("groups") { rules.groups = Set(groups).sorted() }
        if let alarm: Bool = try members.value("alarm") { rules.isAlarm = alarm }
        if let zone: String = try members.value("zone") {
            guard SightZone.offsets(of: zone) != nil else {
                throw Refusal.invalid("zone", "must be a time zone, such as Europe/Amsterdam")
            }
            rules.zone = zone
        }
        if let active: String = try members.value("active") {
            rules.active = active.trimmed
            if let hours = rules.active {
                do {
                    _ = try ActiveHours.spans(from: hours)
                } catch {
                    throw Refusal.invalid("active", error.reason)
                }
            }
        }
        if rules.active == nil { rules.zone = nil }
        return rules
    }

    /// The rules of a call that adds a sight.
    static let parameter = Parameter<SightRules>(fields) { members throws(Refusal) in
        try SightRules().changed(by: members)
    }
}
