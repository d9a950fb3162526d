import Geodesy
import RPC
import Sights
import Time
import Tracking

/// A sample as a page that fits into `size`.
struct TopPage {
    let sample: TopSample
    let path: String
    let now: Timestamp
    let paint: Paint
    let size: (columns: Int, rows: Int)

    var lines: [String] {
        let summary = HealthSummary(sample.report).lines(paint).flatMap {
            WrappedText.lines(of: $0, width: size.columns, hanging: HealthSummary.textColumn)
        }
        let head =
            summary + [title, ""] + section("receivers", receivers) + section(isOld ? "last seen" : "here", here)
        let tail = [dim(foot)]
        // Sights get a third of the rows left, from one to six; events get the rest.
        let room = max(0, size.rows - head.count - tail.count)
        let sights = section("sights", Array(self.sights.prefix(min(6, max(1, room / 3)))))
        let events = section("events", Array(self.events.suffix(max(0, room - sights.count))))
        return (head + sights + events).prefix(max(0, size.rows - tail.count)) + tail
    }

    private var title: String {
        let uptime = EventFormatter.duration(sample.report.stats.number("uptime") ?? 0)
        let version = sample.report.info.text("version") ?? ""
        return paint.bold(cut("waymark \(version) at \(path), up \(uptime)"))
    }

    private var foot: String {
        let listeners = sample.report.stats["subscribers"]
        let behind = listeners?.integer("catching_up") ?? 0
        let store = sample.report.stats["store"]
        let written = store?.integer("written_per_hour").map { ", \(Amounts.bytes(Int64($0))) an hour" } ?? ""
        return cut(
            "\(Amounts.count(listeners?.integer("connections") ?? 0, "listener"))"
                + (behind > 0 ? ", \(behind) slow" : "")
                + "   disk \(Amounts.bytes(Int64(store?.integer("bytes") ?? 0)))\(written)   q quits, n next device, space pauses"
        )
    }

    private var receivers: [String] {
        let devices = sample.report.receivers
        guard !devices.isEmpty else { return ["none"] }
        return devices.prefix(4).map { device in
            let age = device.fixAge(at: now).map { "last fix \($0)" } ?? "no fix yet"
            switch device.isOnline {
            case true? where device.isOld:
                return paint.yellow("no fix ") + "  " + cut("\(device.name)  \(age)", by: 21)
            case true?: return paint.green("online ") + "  " + cut("\(device.name)  \(age)", by: 21)
            case false?: return paint.red("offline") + "  " + cut("\(device.name)  \(device.reason ?? "")", by: 21)
            case nil: return dim("no receiver  ") + cut("\(device.name)  \(age)", by: 25)
            }
        }
    }

    private var here: [String] {
        guard let device = sample.device, let position = sample.position, let place = position.place else {
            return ["not known yet"]
        }
        var parts = [EventFormatter.place(place)]
        if let accuracy = position.number("accuracy") { parts.append("± \(EventFormatter.length(.meters(accuracy)))") }
        // What was true then may not be true now.
        if isOld { parts.append("\(position.number("age").map(EventFormatter.duration) ?? "long") ago") }
        if !isOld, let speed = position.number("speed") { parts.append(EventFormatter.speed(.metersPerSecond(speed))) }
        if !isOld, let track = position.number("track"), position.number("speed") ?? 0 > 0.5 {
            parts.append("towards \(CompassPoint(.degrees(track)).rawValue)")
        }
        var lines = [cut("\(device): " + parts.joined(separator: ", "), by: 12)]
        if let trip = sample.trip.flatMap({ TripSummary($0, device: device) }) {
            // The time of the fixes counts; in a recording it is not the clock's.
            let length = EventFormatter.duration((position.time("time") ?? now).seconds(since: trip.start))
            let stops = trip.stops == 0 ? "" : ", \(Amounts.count(trip.stops, "stop"))"
            lines.append(
                cut(
                    "\(isOld ? "was on" : "on") a trip: \(EventFormatter.length(trip.distance)) in \(length)\(stops)",
                    by: 12))
        } else {
            lines.append("on no trip")
        }
        return lines
    }

    /// Whether the position is too old to say where the device is now, and where it is going.
    private var isOld: Bool { sample.position?.flag("old") ?? false }

    private var sights: [String] {
        guard !sample.nearest.isEmpty else { return ["none"] }
        return sample.nearest.compactMap { sight in
            guard let title = sight.text("title"), let distance = sight.number("distance") else { return nil }
            let side = sight.number("bearing").map(side) ?? ""
            let far = EventFormatter.padded(EventFormatter.length(.meters(distance)), to: 9)
            return cut("\(far) \(EventFormatter.padded(side, to: 9)) \(title)", by: 12)
        }
    }

    /// Returns the direction of a bearing: a side while the device moves, otherwise a compass point.
    private func side(_ bearing: Double) -> String {
        guard !isOld, let track = sample.position?.number("track"), sample.position?.number("speed") ?? 0 > 0.5 else {
            return CompassPoint(.degrees(bearing)).rawValue
        }
        let turn = (bearing - track).truncatingRemainder(dividingBy: 360)
        switch turn < 0 ? turn + 360 : turn {
        case ..<45, 315...: return "ahead"
        case ..<135: return "right"
        case ..<225: return "behind"
        default: return "left"
        }
    }

    private var events: [String] {
        guard !sample.events.isEmpty else { return ["none"] }
        var lines = EventFormatter(paint: paint, showsDevice: false, titleWidth: 24)
        // The days are left out, because a page shows only recent events.
        return sample.events.compactMap { lines.lines(of: EventView($0)).last }
            .map { EventFormatter.cut($0, to: size.columns - 12) }
    }

    private func section(_ label: String, _ texts: [String]) -> [String] {
        texts.enumerated().map { "\(dim(EventFormatter.padded($0 == 0 ? label : "", to: 10)))  \($1)" }
    }

    private func dim(_ text: String) -> String { paint.dim(text) }

    /// Returns as much of a text as fits, without colours.
    private func cut(_ text: String, by margin: Int = 0) -> String {
        EventFormatter.cut(EventFormatter.printable(text), to: max(1, size.columns - margin))
    }
}
