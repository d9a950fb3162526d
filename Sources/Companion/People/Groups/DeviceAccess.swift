package import GRDB
package import Service
package import Store

/// The devices and the trips that a viewer may see: the one rule for answers, events, maps, exports and phones.
///
/// Until a group of devices exists, everybody sees every device. From then on, administrators see every device, a person
/// sees the devices that carry them, the devices of their groups and the trips that they drove, and anybody else sees
/// none. What somebody may not see looks as if it did not exist.
package struct DeviceAccess: Hashable, Sendable {
    /// The names of the only devices that the viewer sees; `nil` for all.
    package let devices: Set<String>?
    /// The ids of the trips that the viewer sees because they drove; empty if they see all.
    package let trips: Set<String>

    /// The access of somebody who sees every device.
    package static let everything = DeviceAccess(devices: nil)
    /// The access of somebody who sees no device.
    package static let nothing = DeviceAccess(devices: [])

    private init(devices: Set<String>?, trips: Set<String> = []) {
        self.devices = devices
        self.trips = trips
    }

    /// Reads what a viewer may see.
    ///
    /// - Complexity: One search if there is no group; otherwise O(*k*) for *k* devices and trips of the viewer.
    package init(for viewer: Viewer, in db: Database) throws {
        guard try DeviceGroups.exist(in: db), !viewer.isAdmin else {
            self = .everything
            return
        }
        guard let person = viewer.person, let number = try People.find(person, in: db)?.number else {
            self = .nothing
            return
        }
        let devices = try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT carried.device FROM carried WHERE carried.person = :me
                    UNION SELECT grouped_device.device FROM group_member
                        JOIN grouped_device ON grouped_device.device_group = group_member.device_group
                    WHERE group_member.person = :me
                    """), arguments: ["me": number])
        let trips = try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT trip.id FROM trip_driver JOIN trip ON trip.number = trip_driver.trip
                    WHERE trip_driver.person = ?
                    """), arguments: [number])
        self.init(devices: Set(devices), trips: Set(trips))
    }

    /// Whether the viewer sees every device.
    package var isUnlimited: Bool { devices == nil }

    /// Whether the viewer sees a device.
    package func sees(_ device: String) -> Bool { devices?.contains(device) ?? true }

    /// Whether the viewer sees a trip of a device.
    package func sees(trip id: String, of device: String) -> Bool { sees(device) || trips.contains(id) }

    /// The trips that the viewer sees, for a query; `nil` for all.
    package var scope: TravelScope? { devices.map { TravelScope(devices: $0, trips: trips) } }
}

extension DeviceDirectory {
    /// Returns what a viewer may see.
    package func access(of viewer: Viewer) async throws -> DeviceAccess {
        try await store.read { try DeviceAccess(for: viewer, in: $0) }
    }

    /// Returns the devices that a viewer sees, sorted by name.
    package func devices(for viewer: Viewer) async throws -> [Device] {
        try await devices(among: access(of: viewer).devices)
    }

    /// Returns the device with a name, or the primary one of those that a viewer sees if `name` is `nil`.
    ///
    /// - Throws: Error 1 (not found) if there is no device of that name or the viewer may not see it; error 5
    ///   (unavailable) if the viewer sees no device.
    package func device(_ name: String?, for viewer: Viewer) async throws -> Device {
        try await device(name, among: access(of: viewer).devices)
    }
}
