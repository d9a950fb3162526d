import Foundation
import Positioning
import RPC
import SocketServer

/// What a daemon says of itself and its receivers.
struct DaemonReport: Sendable {
    /// `server.info`.
    let info: JSONValue
    /// `server.stats`.
    let stats: JSONValue
    /// `devices.list`.
    let devices: JSONValue

    /// An answer takes milliseconds; one that takes so long does not come any more.
    static let longestWait = Duration.seconds(10)

    /// Asks a daemon.
    init(from client: SocketClient) async throws {
        info = try await client.call("server.info")
        stats = try await client.call("server.stats")
        devices = try await client.call("devices.list")
    }

    /// All of it.
    var json: JSONValue {
        ["info": info, "stats": stats, "devices": devices["devices"] ?? .array([])]
    }

    /// Why the store cannot be written; nil while it can.
    var storeError: String? { stats["pending"]?.text("error") }

    /// What is damaged in the store; nil where nothing is known to be.
    var storeDamage: String? { stats["store"]?.text("damage") }

    /// A device with its receiver.
    struct Device {
        let name: String
        let title: String?
        /// Whether its receiver can be heard; nil where it has none.
        let isOnline: Bool?
        let reason: String?
        /// Whether it is configured, and nothing was heard or missed of it yet.
        let isAwaited: Bool
        let since: Timestamp?
        /// The time of its last fix.
        let last: Timestamp?
        let read: Int
        let accepted: Int
        let rejected: [(reason: String, count: Int)]
    }

    /// The devices, by name.
    var receivers: [Device] {
        let titles = Dictionary(
            devices.elements("devices").compactMap { device in
                device.text("name").flatMap { name in device.text("title").map { (name, $0) } }
            }
        ) { $1 }
        return stats.elements("devices").map { device in
            let name = device.text("device") ?? ""
            return Device(
                name: name, title: titles[name], isOnline: device.flag("online"), reason: device.text("reason"),
                isAwaited: device.flag("waiting") ?? false, since: device.time("since"), last: device.time("last"),
                read: device.integer("read") ?? 0,
                accepted: device.integer("accepted") ?? 0, rejected: device.tally("rejected"))
        }
    }
}

extension Timestamp {
    /// What the system's clock says.
    static var now: Timestamp { Timestamp(Date()) }

    /// A moment of the calendar, to the millisecond.
    init(_ date: Date) {
        // No clock and no day that we read is as far away as the greatest number of milliseconds.
        self.init(milliseconds: Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded()) ?? .max)
    }

    /// How long ago it was, in words; of what lies ahead, when it is.
    func age(at now: Timestamp) -> String {
        self <= now ? "\(EventLines.duration(now.seconds(since: self))) ago" : "at \(self)"
    }
}
