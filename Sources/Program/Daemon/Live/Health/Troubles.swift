import Service
import Synchronization
import Time

/// What parts of the daemon report about themselves: a hook that fails, a mail that cannot be sent.
final class Troubles: Sendable {
    private let current = Mutex<[String: Entry]>([:])
    private let now: @Sendable () -> Timestamp

    private struct Entry {
        var finding: HealthFinding
        /// When it is forgotten; `nil` if it has to be cleared.
        var end: Timestamp?
    }

    init(now: @escaping @Sendable () -> Timestamp = { Timestamp.now() }) { self.now = now }

    /// Reports that something is not well; the time since when it is so stays that of the first report.
    ///
    /// - Parameter time: The milliseconds after which it is forgotten, unless it is reported again; `nil` if it has to be
    ///   cleared.
    func report(
        _ id: String, _ part: HealthFinding.Part, _ severity: HealthFinding.Severity = .failure, text: String,
        remedy: String, for time: Int64? = nil
    ) {
        let now = now()
        current.withLock { current in
            let finding = HealthFinding(
                id: id, part: part, severity: severity, since: current[id]?.finding.since ?? now, text: text,
                remedy: remedy)
            current[id] = Entry(
                finding: finding, end: time.map { now.advanced(byMilliseconds: $0) })
        }
    }

    /// Reports that something is well again.
    func clear(_ id: String) { current.withLock { $0[id] = nil } }

    /// Reports that something is well again, if its text begins like this.
    func clear(_ id: String, ifTextBegins words: String) {
        current.withLock { current in
            if current[id]?.finding.text.hasPrefix(words) == true { current[id] = nil }
        }
    }

    /// All that is reported now, by name.
    var all: [HealthFinding] {
        let now = now()
        return current.withLock { current in
            current = current.filter { entry in entry.value.end.map { now < $0 } ?? true }
            return current.values.map(\.finding).sorted { $0.id < $1.id }
        }
    }
}

extension Troubles {
    /// Notes a run of the notification hook, with the reason if it failed.
    func noteHook(_ fault: String?) {
        guard let fault else { return clear("hook") }
        report(
            "hook", .hook, text: "the notification hook fails: it \(fault)",
            remedy: "fix notifications.hook in the configuration, and try it: \"waymark doctor --hook\"")
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
