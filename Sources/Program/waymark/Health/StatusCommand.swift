import ArgumentParser
import RPC
import Time

/// The command `waymark status`, which prints the state of the daemon.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the state of the daemon and its receivers.",
        discussion: "The command exits with 1 if something does not work, or if no daemon answers.",
        examples: [
            "waymark status"
        ])

    @OptionGroup var daemon: SocketOption

    @Flag(
        help:
            "Print one JSON object: the answers of server.info, server.stats and server.health, and the devices of devices.list."
    )
    var json = false

    func run() async throws {
        try await Failure.printing { output in
            let report = try await daemon.connect(within: DaemonReport.longestWait) {
                try await DaemonReport(from: $0)
            }
            let summary = HealthSummary(report)
            if json {
                try output.line(report.json.line)
            } else {
                let page = StatusPage(report, path: daemon.path, now: .now)
                for line in summary.lines(.standardOutput) { try output.line(line, hanging: HealthSummary.textColumn) }
                for line in page.lines { try output.line(line, hanging: StatusPage.textColumn) }
            }
            guard summary.isBad else { return }
            try output.flush()
            throw Failure.exit
        }
    }
}

/// A short page about the state of a daemon.
private struct StatusPage {
    private let report: DaemonReport
    private let path: String
    private let now: Timestamp
    private let paint = Paint.standardOutput

    init(_ report: DaemonReport, path: String, now: Timestamp) {
        self.report = report
        self.path = path
        self.now = now
    }

    var lines: [String] {
        let stats = report.stats
        var lines: [String] = []
        let version = "\(report.info.text("name") ?? "") \(report.info.text("version") ?? "")"
        let uptime = EventFormatter.duration(stats.number("uptime") ?? 0)
        lines.append(paint.bold(EventFormatter.printable("\(version) at \(path), up \(uptime)")))
        if stats.flag("cut_off") == true {
            lines += rows("restarted", [paint.yellow("after a crash or a power cut: it was not stopped")])
        }
        lines += rows("receivers", receivers)
        for (label, text) in [
            ("events", events), ("sights", "\(stats.integer("geofences") ?? 0) watched"), ("listeners", listeners),
            ("mqtt", broker), ("latency", latency), ("store", store), ("process", process),
        ] {
            if let text { lines += rows(label, [text]) }
        }
        return lines
    }

    /// The column in which the texts begin.
    static let textColumn = 13

    private func rows(_ label: String, _ texts: [String]) -> [String] {
        texts.enumerated().map { "  \(EventFormatter.padded($0 == 0 ? label : "", to: 10)) \($1)" }
    }

    private var receivers: [String] {
        let devices = report.receivers
        guard !devices.isEmpty else { return ["none; name some under \"sources\" in the configuration"] }
        let width = min(30, devices.map { EventFormatter.printable($0.name).count }.max() ?? 0)
        return devices.flatMap { device in
            let name = EventFormatter.padded(device.name, to: width)
            var text = "\(name)  \(state(device))"
            if let age = device.fixAge(at: now) {
                text += ", \(device.isOld ? paint.yellow("last fix \(age)") : "last fix \(age)")"
            }
            if let title = device.title { text += "  \(paint.dim(EventFormatter.printable(title)))" }
            guard device.read > 0 else { return [text] }
            let blanks = String(repeating: " ", count: width)
            return [text, "\(blanks)  \(fixes(device))"]
        }
    }

    private func state(_ device: DaemonReport.Device) -> String {
        let since = device.since.map { " for \(EventFormatter.duration(now.seconds(since: $0)))" } ?? ""
        switch device.isOnline {
        case true? where device.read == 0:
            return paint.green("online") + since + ", " + paint.yellow("no fix yet")
        case true?: return paint.green("online") + since
        case false?:
            return paint.red("offline") + since + (device.reason.map { ": \(EventFormatter.printable($0))" } ?? "")
        case nil where device.isAwaited: return paint.yellow("nothing received yet")
        case nil: return paint.dim("no receiver")
        }
    }

    private func fixes(_ device: DaemonReport.Device) -> String {
        let fixes = "\(device.accepted) of \(Amounts.count(device.read, "fix", "fixes")) accepted"
        return device.rejected.isEmpty ? fixes : "\(fixes); rejected: \(Self.list(device.rejected))"
    }

    private var events: String {
        let told = report.stats["events"]?.integer("told") ?? 0
        let last = report.stats["events"]?.integer("last") ?? 0
        let pending = report.stats["pending"]
        let waiting = [("event", pending?.integer("events")), ("point", pending?.integer("points"))]
            .compactMap { noun, number in number.flatMap { $0 > 0 ? Amounts.count($0, noun) : nil } }
        let malformed = report.stats.tally("malformed")
        return "\(told) emitted since the start, the last is \(last)"
            + (waiting.isEmpty ? "" : "; not yet written: \(waiting.joined(separator: ", "))")
            + (malformed.isEmpty ? "" : "; not understood: \(Self.list(malformed))")
    }

    private var listeners: String {
        let listeners = report.stats["subscribers"]
        let behind = listeners?.integer("catching_up") ?? 0
        return Amounts.count(listeners?.integer("connections") ?? 0, "connection") + ", "
            + Amounts.count(listeners?.integer("subscriptions") ?? 0, "subscription")
            + (behind > 0 ? ", \(behind) catching up" : "")
    }

    /// The connection to the MQTT broker; `nil` if none is configured.
    private var broker: String? {
        guard let broker = report.stats["mqtt"] else { return nil }
        let address = EventFormatter.printable(broker.text("address") ?? "")
        let since = broker.time("since").map { " for \(EventFormatter.duration(now.seconds(since: $0)))" } ?? ""
        guard broker.flag("connected") == true else {
            let reason = broker.text("reason").map { ": \(EventFormatter.printable($0))" } ?? ""
            return "\(address), \(paint.red("not connected"))\(since)\(reason)"
        }
        let published = Amounts.count(broker.integer("published") ?? 0, "message")
        let (refused, waiting) = (broker.integer("refused") ?? 0, broker.integer("waiting") ?? 0)
        return "\(address), \(paint.green("connected"))\(since), \(published)"
            + " below \(EventFormatter.printable(broker.text("topic") ?? ""))"
            + (waiting > 0 ? ", \(waiting) not acknowledged yet" : "")
            + (refused > 0 ? ", \(paint.red("\(refused) refused"))" : "")
    }

    private var latency: String {
        let latency = report.stats["latency"]
        let texts = [("events", "event"), ("positions", "position")].compactMap { label, name -> String? in
            guard let half = latency?.number("\(name)_p50"), let most = latency?.number("\(name)_p99") else {
                return nil
            }
            return "\(label) \(Amounts.brief(half)), 99 % within \(Amounts.brief(most))"
        }
        return texts.isEmpty ? "nothing sent yet" : texts.joined(separator: "; ")
    }

    private var store: String {
        let store = report.stats["store"]
        let path = report.info.text("store").map { "\(EventFormatter.printable($0)), " } ?? ""
        let size = Amounts.bytes(Int64(store?.integer("bytes") ?? 0))
        let written = store?.integer("written_per_hour").map { ", \(Amounts.bytes(Int64($0))) written an hour" } ?? ""
        let failed = store?.integer("failed_commits") ?? 0
        let dropped = store?.integer("dropped_points") ?? 0
        return "\(path)\(size)\(written)"
            + (failed > 0 ? ", \(Amounts.count(failed, "write")) failed" : "")
            + (dropped > 0 ? ", \(Amounts.count(dropped, "point")) lost" : "")
    }

    private var process: String {
        let process = report.stats["process"]
        let resident = process?.integer("resident").map { "\(Amounts.bytes(Int64($0))) of memory" }
        let own = process?.integer("private").map { "\(Amounts.bytes(Int64($0))) of it private" }
        let time = process?.number("cpu").map {
            "\($0 < 60 ? Amounts.brief($0) : EventFormatter.duration($0)) of processor time"
        }
        let texts = [resident, own, time].compactMap { $0 }
        return texts.isEmpty ? "unknown" : texts.joined(separator: ", ")
    }

    private static func list(_ tally: [(reason: String, count: Int)]) -> String {
        tally.map { "\(EventFormatter.printable($0.reason)) \($0.count)" }.joined(separator: ", ")
    }
}
