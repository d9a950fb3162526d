import Foundation
import RPC
import SocketServer
import Time

/// A daemon's answers about itself and its receivers.
struct DaemonReport: Sendable {
    /// The answer of `server.info`.
    let info: JSONValue
    /// The answer of `server.stats`.
    let stats: JSONValue
    /// The answer of `devices.list`.
    let devices: JSONValue
    /// The answer of `server.health`; `nil` from an older daemon, which has no such method.
    let health: JSONValue?

    /// The longest wait for an answer, which normally takes milliseconds.
    static let longestWait = Duration.seconds(10)

    /// Calls the methods.
    init(from client: SocketClient) async throws {
        info = try await client.call("server.info")
        stats = try await Self.whole("server.stats", from: client)
        devices = try await Self.whole("devices.list", from: client)
        do {
            health = try await client.call("server.health")
        } catch let error as RPCError where error.code == .methodNotFound {
            health = nil
        }
    }

    /// Returns the answer of a method with the devices of all its pages.
    private static func whole(_ method: String, from client: SocketClient) async throws -> JSONValue {
        var answer = try await client.call(method)
        guard case .object(var members) = answer, var next = members["next"] else { return answer }
        var devices = answer.elements("devices")
        while true {
            let page = try await client.call(method, ["after": next])
            devices += page.elements("devices")
            guard let after = page["next"] else { break }
            next = after
        }
        members["devices"] = .array(devices)
        members["next"] = nil
        answer = .object(members)
        return answer
    }

    /// All answers in one object.
    var json: JSONValue {
        .object(
            JSONObject(present: [
                "info": info, "stats": stats, "devices": devices["devices"] ?? .array([]), "health": health,
            ]))
    }

    /// What the daemon finds that is not well, failures first.
    var findings: [Finding] {
        guard let health else {
            return [
                .warn(
                    "daemon", "it is older than this program, and does not say whether it is well",
                    "restart the daemon: \"sudo systemctl restart waymark\"")
            ]
        }
        return health.elements("findings").map { finding in
            let (part, text) = (finding.text("part") ?? "daemon", finding.text("text") ?? "")
            let remedy = finding.text("remedy") ?? ""
            return finding.text("severity") == "failure" ? .fail(part, text, remedy) : .warn(part, text, remedy)
        }
    }

    /// Whether the daemon has a finding about a device.
    func hasFinding(of device: String) -> Bool {
        health?.elements("findings").contains { $0.text("id")?.hasSuffix("/\(device)") ?? false } ?? false
    }

    /// Whether the daemon has a finding about a part of itself.
    func hasFinding(ofPart part: String) -> Bool {
        health?.elements("findings").contains { $0.text("part") == part } ?? false
    }

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
        /// The seconds since its last fix came; `nil` if that is unknown.
        let age: Double?
        /// Whether its last fix is too old to say where it is now.
        let isOld: Bool
        let read: Int
        let accepted: Int
        let rejected: [(reason: String, count: Int)]
    }

    /// The devices by name, in the order in which people count: bus2 before bus10.
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
                age: device.number("age"), isOld: device.flag("old") ?? false,
                read: device.integer("read") ?? 0,
                accepted: device.integer("accepted") ?? 0, rejected: device.tally("rejected"))
        }.sorted { NaturalOrder.precedes($0.name, $1.name) }
    }
}

extension DaemonReport.Device {
    /// How old its last fix is, in words, with its date if that is not the clock's; `nil` without a fix.
    func fixAge(at now: Timestamp) -> String? {
        guard let last else { return nil }
        guard let age else { return last.age(at: now) }
        let words = "\(EventFormatter.duration(age)) ago"
        // The clock, or the receiver's date, is wrong, or the fixes are those of a recording.
        return abs(now.seconds(since: last) - age) > 120 ? "\(words), dated \(last)" : words
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
        self <= now ? "\(EventFormatter.duration(now.seconds(since: self))) ago" : "at \(self)"
    }
}
