import Foundation
import Positioning
import RPC
import SocketServer

/// A daemon's answers about itself and its receivers.
struct DaemonReport: Sendable {
    /// The answer of `server.info`.
    let info: JSONValue
    /// The answer of `server.stats`.
    let stats: JSONValue
    /// The answer of `devices.list`.
    let devices: JSONValue

    /// The longest wait for an answer, which normally takes milliseconds.
    static let longestWait = Duration.seconds(10)

    /// Calls the three methods.
    init(from client: SocketClient) async throws {
        info = try await client.call("server.info")
        stats = try await client.call("server.stats")
        devices = try await client.call("devices.list")
    }

    /// All answers in one object.
    var json: JSONValue {
        ["info": info, "stats": stats, "devices": devices["devices"] ?? .array([])]
    }

    /// The reason why the store cannot be written; `nil` while it can be written.
    var storeError: String? { stats["pending"]?.text("error") }

    /// The damage in the store; `nil` if none is known.
    var storeDamage: String? { stats["store"]?.text("damage") }

    /// A device with its receiver.
    struct Device {
        let name: String
        let title: String?
        /// Whether its receiver is online; `nil` if there is none, or it is not known yet.
        let isOnline: Bool?
        let reason: String?
        /// Whether its receiver is configured and has been neither online nor offline yet.
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
    /// The current time of the system's clock.
    static var now: Timestamp { Timestamp(Date()) }

    /// Creates a timestamp from a date, rounded to the millisecond.
    init(_ date: Date) {
        // No clock and no date read here is so far away that its milliseconds do not fit.
        self.init(milliseconds: Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded()) ?? .max)
    }

    /// Returns how long ago the time was, in words; for a future time, the time itself.
    func age(at now: Timestamp) -> String {
        self <= now ? "\(EventLines.duration(now.seconds(since: self))) ago" : "at \(self)"
    }
}
