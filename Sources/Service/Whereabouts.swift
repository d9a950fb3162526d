import GRDB
import Geodesy
package import Positioning
import RPC
package import Store

/// Which devices there are, and where: what is stored of them, and what is known since.
package struct Whereabouts: Sendable {
    /// A device, with its last fix.
    package struct Device: Sendable {
        package var name: String
        package var title: String?
        package var isPrimary: Bool
        /// Of one that was stored, time and place alone are known; nil before any.
        package var last: Fix?
    }

    private let store: LocationDatabase
    private let present: any Present

    /// Those of a store and a moment.
    package init(store: LocationDatabase, present: any Present) {
        self.store = store
        self.present = present
    }

    /// All devices, by name.
    package func devices() async throws -> [Device] { try await devices(carrying: nil).all }

    /// All devices, by name, and the names of those that carry a person, nil where there is no such person.
    private func devices(carrying person: String?) async throws -> (all: [Device], carrying: [String]?) {
        var live = await present.positions()
        let (stored, carrying) = try await store.read { db in
            (try Devices.all(in: db), try person.flatMap { try Self.names(carrying: $0, in: db) })
        }
        var devices = stored.map { stored in
            let last = live.removeValue(forKey: stored.name)
            return Device(
                name: stored.name, title: stored.title, isPrimary: stored.isPrimary,
                last: last ?? stored.last.map { Fix(time: $0.time, coordinate: $0.place) })
        }
        // Those that have yet to be stored.
        devices += live.map { Device(name: $0, isPrimary: false, last: $1) }
        devices.sort { $0.name < $1.name }
        if !devices.isEmpty, !devices.contains(where: \.isPrimary) { devices[0].isPrimary = true }
        return (devices, carrying)
    }

    /// A device, the primary one where none is named.
    ///
    /// - Throws: 1 where there is none of that name, 5 where there is none at all.
    package func device(_ name: String?) async throws -> Device {
        let devices = try await devices()
        guard let name else {
            guard let primary = devices.first(where: \.isPrimary) else {
                throw Refusal.unavailable("No device has had a fix yet.")
            }
            return primary
        }
        guard let device = devices.first(where: { $0.name == name }) else {
            throw Refusal.notFound("There is no device \(name); devices.list names them.")
        }
        return device
    }

    /// Where a device was last.
    ///
    /// Where none is named it is the one that carries a person, of several the one with the latest fix; for who is
    /// carried by none, the primary one.
    ///
    /// - Throws: 1 where there is none of that name, 5 where it has had no fix.
    package func lastFix(of name: String?, for person: String?) async throws -> (device: String, fix: Fix) {
        guard name == nil, let person else { return try await lastFix(of: name) }
        let (devices, carrying) = try await devices(carrying: person)
        guard let carrying, !carrying.isEmpty else { return try await lastFix(of: nil) }
        return try Self.latestFix(of: devices, among: carrying)
    }

    /// Where a person is: at the latest fix of the devices that carry them.
    ///
    /// - Throws: 1 where the account is gone, 5 where no device carries them, or none that does has had a fix.
    package func fix(carrying person: String) async throws -> Fix {
        let (devices, carrying) = try await devices(carrying: person)
        guard let carrying else { throw Refusal.notFound("There is nobody called \(person).") }
        guard !carrying.isEmpty else {
            throw Refusal.unavailable("No device carries you, so that nobody knows where you are; see devices.join.")
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
        else { throw Refusal.unavailable("\(names.joined(separator: ", ")) has had no fix yet.") }
        return latest
    }

    /// The devices that carry a person, by name; nil where there is no such person.
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
        guard let fix = device.last else { throw Refusal.unavailable("\(device.name) has had no fix yet.") }
        return (device.name, fix)
    }
}
