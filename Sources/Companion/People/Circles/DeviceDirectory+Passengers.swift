import GRDB
package import Positioning
import RPC
package import Service
import Store

/// Where people are: the places of the devices that carry them.
extension DeviceDirectory {
    /// Returns the last fix of a device, and the device's name.
    ///
    /// If `name` is `nil`, it uses the devices that carry the person, and of several the one with the latest fix. If
    /// no device carries the person, it uses the primary device.
    ///
    /// - Throws: Error 1 (not found) if there is no device of that name or the viewer may not see it; error 5
    ///   (unavailable) if it has had no fix.
    package func lastFix(of name: String?, for viewer: Viewer) async throws -> (device: String, fix: Fix) {
        let seen = try await access(of: viewer).devices
        guard name == nil, let person = viewer.person else { return try await lastFix(of: name, among: seen) }
        guard let carrying = try await names(carrying: person), !carrying.isEmpty else {
            return try await lastFix(of: nil, among: seen)
        }
        return try await latestFix(of: carrying)
    }

    /// Returns a person's position: the latest fix of the devices that carry the person.
    ///
    /// - Throws: Error 1 (not found) if the account does not exist; error 5 (unavailable) if no device carries the
    ///   person, or none of those devices has had a fix.
    package func fix(carrying person: String) async throws -> Fix {
        guard let carrying = try await names(carrying: person) else {
            throw Refusal.notFound("There is nobody called \(person).")
        }
        guard !carrying.isEmpty else {
            throw Refusal.unavailable("No device carries you, so your position is unknown. Call devices.join first.")
        }
        return try await latestFix(of: carrying).fix
    }

    /// Returns the names of the devices that carry a person, sorted; `nil` if there is no such person.
    private func names(carrying person: String) async throws -> [String]? {
        let names = try await store.read { db in
            try String?.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT device FROM person LEFT JOIN carried ON person = number WHERE id = ? ORDER BY device
                        """),
                arguments: [person])
        }
        return names.isEmpty ? nil : names.compactMap { $0 }
    }
}
