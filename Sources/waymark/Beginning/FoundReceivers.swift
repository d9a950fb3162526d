import Foundation

/// The receivers that this machine seems to have.
struct FoundReceivers {
    /// A receiver, or what may be one.
    struct Receiver {
        /// What the device is to be called.
        var name: String
        /// Where it is read from, as `sources` names it.
        var url: String
        /// What is known of it, for people.
        var text: String
        /// The group whose members may read it, where this user may not; nil where nothing is in the way.
        var missingGroup: String?
    }

    let receivers: [Receiver]

    /// Looks for a gpsd at its usual place and for serial ports.
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

    /// Ports that a receiver may be at: by the names that last over a restart where there are such, else USB ports.
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
