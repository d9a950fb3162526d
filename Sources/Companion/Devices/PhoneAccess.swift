package import GRDB
import People
import Service
import Sights
import Store

/// What a phone is told of other devices and of sights: what all people whom it carries may see.
package struct PhoneAccess: Sendable {
    /// Whether the phone is told the nearest sights.
    package let hasRegions: Bool
    /// The numbers of the other devices, by name; none before there is a group of devices, or if the phone carries nobody.
    package private(set) var devices: [String: Int64] = [:]
    /// The ids of the sights that the phone is not told of.
    package private(set) var hiddenSights: Set<String> = []

    /// Reads what a phone is told.
    package init(of device: String, in db: Database) throws {
        hasRegions = try ReportedDevices.namesWithRegions(in: db).contains(device)
        guard let viewers = try DeviceGroups.viewers(ofPhone: device, in: db) else { return }
        let access = try viewers.map { try DeviceAccess(for: $0, in: db) }
        for (number, name) in try Devices.names(in: db)
        where name != device && !access.isEmpty && access.allSatisfy({ $0.sees(name) }) {
            devices[name] = number
        }
        guard hasRegions else { return }
        for viewer in viewers.isEmpty ? [Viewer(person: nil)] : viewers {
            hiddenSights.formUnion(try SightAccess(for: viewer, in: db).hidden(in: db).ids)
        }
    }
}
