import Foundation

/// The receivers that this machine seems to have.
struct FoundReceivers {
    /// A receiver, or a device that may be one.
    struct Receiver {
        /// The proposed name of the device.
        var name: String
        /// The address for the setting `sources`.
        var url: String
        /// A description for people.
        var text: String
        /// The group whose members may read the device; `nil` if this user may read it already.
        var missingGroup: String?
    }

    let receivers: [Receiver]

    /// Looks for a gpsd at its default address, and for serial ports.
    static func look() async -> FoundReceivers {
        var found: [Receiver] = []
        if let release = try? await Doctor.gpsdRelease() {
            found.append(
                Receiver(name: "gps0", url: "gpsd://localhost:2947", text: "gpsd \(release) on this machine"))
        }
        for port in serialPorts() {
            let group = FileManager.default.isReadableFile(atPath: port) ? nil : owningGroup(of: port)
            found.append(
                Receiver(
                    name: "gps\(found.count)", url: "nmea:\(port)", text: "the serial port \(port)",
                    missingGroup: group))
        }
        return FoundReceivers(receivers: found)
    }

    /// Returns the ports that may have a receiver.
    ///
    /// These are the ports under names that persist over a restart; if there are none, the USB ports.
    private static func serialPorts() -> [String] {
        let files = FileManager.default
        let folder = "/dev/serial/by-id"
        if let names = try? files.contentsOfDirectory(atPath: folder), !names.isEmpty {
            return names.sorted().map { "\(folder)/\($0)" }
        }
        let names = (try? files.contentsOfDirectory(atPath: "/dev")) ?? []
        return names.filter { $0.hasPrefix("ttyACM") || $0.hasPrefix("ttyUSB") }.sorted().map { "/dev/\($0)" }
    }

    private static func owningGroup(of path: String) -> String {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.groupOwnerAccountName] as? String ?? "dialout"
    }
}
