import GRDB
import Geodesy
package import Positioning
import RPC
package import Store

/// The devices and their positions: the stored ones, updated by the live ones.
package struct DeviceDirectory: Sendable {
    /// A device, with its last fix.
    package struct Device: Sendable {
        package var name: String
        package var title: String?
        package var isPrimary: Bool
        /// The last fix; `nil` if there was none.
        ///
        /// A fix read from the store has only a time and a place.
        package var last: Fix?
    }

    private let store: LocationDatabase
    private let liveState: any LiveState

    package init(store: LocationDatabase, liveState: any LiveState) {
        self.store = store
        self.liveState = liveState
    }

    /// Returns all devices, sorted by name.
    package func devices() async throws -> [Device] { try await devices(carrying: nil).all }

    /// Returns all devices, sorted by name, and the names of those that carry a person.
    ///
    /// The second value is `nil` if there is no such person, or `person` is `nil`.
    private func devices(carrying person: String?) async throws -> (all: [Device], carrying: [String]?) {
        var live = await liveState.positions()
        let (stored, carrying) = try await store.read { db in
            (try Devices.all(in: db), try person.flatMap { try Self.names(carrying: $0, in: db) })
        }
        var devices = stored.map { stored in
            let last = live.removeValue(forKey: stored.name)
            return Device(
                name: stored.name, title: stored.title, isPrimary: stored.isPrimary,
                last: last ?? stored.last.map { Fix(time: $0.time, coordinate: $0.place) })
        }
        // These devices are not stored yet.
        devices += live.map { Device(name: $0, isPrimary: false, last: $1) }
        devices.sort { $0.name < $1.name }
        if !devices.isEmpty, !devices.contains(where: \.isPrimary) { devices[0].isPrimary = true }
        return (devices, carrying)
    }

    /// Returns the device with a name, or the primary device if `name` is `nil`.
    ///
    /// - Throws: Error 1 (not found) if there is no device of that name; error 5 (unavailable) if there is no device
    ///   at all.
    package func device(_ name: String?) async throws -> Device {
        let devices = try await devices()
        guard let name else {
            guard let primary = devices.first(where: \.isPrimary) else {
                throw Refusal.unavailable("No device has had a fix yet.")
            }
            return primary
        }
        guard let device = devices.first(where: { $0.name == name }) else {
            throw Refusal.notFound("There is no device \(name). Call devices.list to see the devices.")
        }
        return device
    }

    /// Returns the last fix of a device, and the device's name.
    ///
    /// If `name` is `nil`, it uses the devices that carry the person, and of several the one with the latest fix. If
    /// no device carries the person, it uses the primary device.
    ///
    /// - Throws: Error 1 (not found) if there is no device of that name; error 5 (unavailable) if it has had no fix.
    package func lastFix(of name: String?, for person: String?) async throws -> (device: String, fix: Fix) {
        guard name == nil, let person else { return try await lastFix(of: name) }
        let (devices, carrying) = try await devices(carrying: person)
        guard let carrying, !carrying.isEmpty else { return try await lastFix(of: nil) }
        return try Self.latestFix(of: devices, among: carrying)
    }

    /// Returns a person's position: the latest fix of the devices that carry the person.
    ///
    /// - Throws: Error 1 (not found) if the account does not exist; error 5 (unavailable) if no device carries the
    ///   person, or none of those devices has had a fix.
    package func fix(carrying person: String) async throws -> Fix {
        let (devices, carrying) = try await devices(carrying: person)
        guard let carrying else { throw Refusal.notFound("There is nobody called \(person).") }
        guard !carrying.isEmpty else {
            throw Refusal.unavailable("No device carries you, so your position is unknown. Call devices.join first.")
        }
        return try Self.latestFix(of: devices, among: carrying).fix
    }

    private static func latestFix(
        of devices: [Device], among names: [String]
    ) throws(Refusal) -> (device: String, fix: Fix) {
        let fixes = devices.filter { names.contains($0.name) }.compactMap { device in
            device.last.map { (device: device.name, fix: $0) }
        }
        guard let latest = fixes.max(by: { ($0.fix.time?.milliseconds ?? .min) < ($1.fix.time?.milliseconds ?? .min) })
        else { throw Refusal.unavailable("There is no fix from \(names.joined(separator: ", ")) yet.") }
        return latest
    }

    /// Returns the names of the devices that carry a person, sorted; `nil` if there is no such person.
    private static func names(carrying person: String, in db: Database) throws -> [String]? {
        let names = try String?.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT device FROM person LEFT JOIN carried ON person = number WHERE id = ? ORDER BY device
                    """),
            arguments: [person])
        return names.isEmpty ? nil : names.compactMap { $0 }
    }

    private func lastFix(of name: String?) async throws -> (device: String, fix: Fix) {
        let device = try await device(name)
        guard let fix = device.last else { throw Refusal.unavailable("There is no fix from \(device.name) yet.") }
        return (device.name, fix)
    }
}
