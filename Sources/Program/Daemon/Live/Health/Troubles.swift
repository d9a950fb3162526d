import EventHooks
import Service
import Synchronization
import Time
import Uplink
import WebClient

/// What parts of the daemon report about themselves: a hook that fails, a mail that cannot be sent.
final class Troubles: Sendable {
    private let current = Mutex<[String: HealthFinding]>([:])
    private let now: @Sendable () -> Timestamp

    init(now: @escaping @Sendable () -> Timestamp = { Timestamp.now() }) { self.now = now }

    /// Reports that something is not well; the time since when it is so stays that of the first report.
    func report(
        _ id: String, _ part: HealthFinding.Part, _ severity: HealthFinding.Severity = .failure, text: String,
        remedy: String
    ) {
        current.withLock { current in
            current[id] = HealthFinding(
                id: id, part: part, severity: severity, since: current[id]?.since ?? now(), text: text, remedy: remedy)
        }
    }

    /// Reports that something is well again.
    func clear(_ id: String) { current.withLock { $0[id] = nil } }

    /// All that is reported now, by name.
    var all: [HealthFinding] { current.withLock { current in current.values.sorted { $0.id < $1.id } } }
}

extension Troubles {
    /// Notes a run of the notification hook, with the reason if it failed.
    func noteHook(_ fault: String?) {
        guard let fault else { return clear("hook") }
        report(
            "hook", .hook, text: "the notification hook fails: it \(fault)",
            remedy: "fix notifications.hook in the configuration, and try it: \"waymark doctor --hook\"")
    }

    /// Notes an attempt of a hook for events, of which `number` says which in the configuration it is, from 1 on.
    ///
    /// It is behind if more than ``greatestLag`` events wait.
    func noteEventHook(_ number: Int, _ settings: EventHookSettings, _ told: EventHook.Report) {
        let (id, target) = ("event-hook/\(number)", settings.target)
        let waiting = told.behind == 1 ? "1 event waits" : "\(told.behind) events wait"
        if let fault = told.fault {
            report(
                id, .hook, .warning, text: "the hook for events fails: \(target) \(fault); \(waiting)",
                remedy: "fix events.hook in the configuration, or \(target); nothing is lost meanwhile")
        } else if told.behind > Self.greatestLag {
            report(
                id, .hook, .warning, text: "the hook for events is behind: \(waiting) for \(target)",
                remedy: "give the hook fewer types of events, or make \(target) faster")
        } else {
            clear(id)
        }
    }

    /// The most events that may wait for a hook before it is behind.
    private static let greatestLag: Int64 = 1_000

    /// Notes an attempt to send events to the centre.
    func noteUplink(_ url: WebURL?, _ told: BoardUplink.Report) {
        let place = url.map { "\($0)" } ?? "the centre"
        if told.lost > 0 {
            report(
                "uplink-gap", .uplink, .warning,
                text: "\(told.lost) events were deleted before \(place) had them, and are missing there",
                remedy: "let the board reach its centre more often, or keep events longer: retention.events")
        }
        guard let fault = told.fault else { return clear("uplink") }
        let waiting = told.behind == 1 ? "1 event waits" : "\(told.behind) events wait"
        report(
            "uplink", .uplink, .warning, text: "no events reach the centre: \(place) \(fault); \(waiting)",
            remedy: "\"waymark uplink status\" shows more; nothing is lost meanwhile")
    }

    /// Notes an attempt to send a mail, with the reason if it failed.
    func noteMail(_ fault: String?) {
        guard let fault else { return clear("mail") }
        report(
            "mail", .mail, text: "mail cannot be sent: \(fault)",
            remedy:
                "\"waymark mail list\" shows what waits; fix mail in the configuration, and try it: \"waymark doctor --mail ADDRESS\""
        )
    }

    /// Notes that the file of map tiles cannot be used, with a clause that names it and says why; `nil` if it can.
    func noteMap(_ fault: String?) {
        guard let fault else { return clear("tiles") }
        report(
            "tiles", .map, text: fault,
            remedy:
                "name a PMTiles or MBTiles file with pictures as map.tiles in the configuration, then restart the daemon"
        )
    }
}
