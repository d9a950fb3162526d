package import Geodesy
package import Positioning
import RPC
package import Store
import Time

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
        /// The speed above which the device is reported, wherever it is; `nil` for that of the configuration.
        package var speedLimit: Speed?
    }

    package let store: LocationDatabase
    private let liveState: any LiveState

    package init(store: LocationDatabase, liveState: any LiveState) {
        self.store = store
        self.liveState = liveState
    }

    /// Returns all devices, sorted by name.
    ///
    /// - Parameter seen: The names of the only devices to return; `nil` for all. If the primary device is not among
    ///   them, the first one takes its place.
    package func devices(among seen: Set<String>? = nil) async throws -> [Device] {
        var live = await liveState.positions()
        let stored = try await store.read { try Devices.all(in: $0) }
        var devices = stored.map { stored in
            let last = live.removeValue(forKey: stored.name)
            return Device(
                name: stored.name, title: stored.title, isPrimary: stored.isPrimary,
                last: last ?? stored.last.map { Fix(time: $0.time, coordinate: $0.place) },
                speedLimit: stored.speedLimit)
        }
        // These devices are not stored yet.
        devices += live.map { Device(name: $0, isPrimary: false, last: $1) }
        if let seen { devices.removeAll { !seen.contains($0.name) } }
        devices.sort { $0.name < $1.name }
        if !devices.isEmpty, !devices.contains(where: \.isPrimary) { devices[0].isPrimary = true }
        return devices
    }

    /// Returns the device with a name, or the primary device if `name` is `nil`.
    ///
    /// - Parameter seen: The names of the only devices that count; `nil` for all.
    /// - Throws: Error 1 (not found) if there is no device of that name; error 5 (unavailable) if there is no device
    ///   at all.
    package func device(_ name: String?, among seen: Set<String>? = nil) async throws -> Device {
        let devices = try await devices(among: seen)
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

    /// Returns the last fix of a device, and the device's name; of the primary device if `name` is `nil`.
    ///
    /// - Throws: Error 1 (not found) if there is no device of that name; error 5 (unavailable) if it has had no fix.
    package func lastFix(
        of name: String?, among seen: Set<String>? = nil
    ) async throws -> (device: String, fix: Fix) {
        let device = try await device(name, among: seen)
        guard let fix = device.last else { throw Refusal.unavailable("There is no fix from \(device.name) yet.") }
        return (device.name, fix)
    }

    /// Returns the latest of the last fixes of some devices, and the name of its device.
    ///
    /// - Throws: Error 5 (unavailable) if none of them has had a fix.
    package func latestFix(of names: [String]) async throws -> (device: String, fix: Fix) {
        let fixes = try await devices().filter { names.contains($0.name) }.compactMap { device in
            device.last.map { (device: device.name, fix: $0) }
        }
        guard let latest = fixes.max(by: { ($0.fix.time?.milliseconds ?? .min) < ($1.fix.time?.milliseconds ?? .min) })
        else { throw Refusal.unavailable("There is no fix from \(names.joined(separator: ", ")) yet.") }
        return latest
    }
}
