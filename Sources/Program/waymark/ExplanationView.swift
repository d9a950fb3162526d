import Geodesy
import Positioning
import RPC
import Sights

/// The text for an explanation.
struct ExplanationView {
    private let answer: JSONValue
    private let clock: DisplayClock

    init(_ answer: JSONValue, clock: DisplayClock) {
        self.answer = answer
        self.clock = clock
    }

    /// Returns a heading and one line per fix.
    func lines(_ paint: Paint) -> [String] {
        let geofence = answer["geofence"]
        let title = EventFormatter.printable(geofence?.text("title") ?? "")
        let metres = geofence?.number("radius").map { "radius \(EventFormatter.length(.meters($0)))" } ?? ""
        let radius = geofence?.text("form") == "polygon" ? "polygon" : metres
        var lines = [
            "\(paint.bold(title)), \(radius), and \(EventFormatter.printable(answer.text("device") ?? "")), \(origin)"
        ]
        let fixes = answer.elements("fixes")
        if fixes.isEmpty {
            lines.append("No fix within \(window) of \(answer.time("at").map(clock.second) ?? ""). The closest:")
        } else if answer.flag("cut") == true {
            lines.append("There are more fixes within \(window); these are the closest.")
        }
        var head: String?
        for fix in fixes.isEmpty ? answer.elements("closest") : fixes {
            let time = fix.time("time")
            if let time, case let now = clock.head(of: time), now != head {
                head = now
                lines.append(paint.dim(now))
            }
            lines.append(Self.line(fix, time.map { clock.time($0, isPrecise: true) } ?? "", paint))
        }
        return lines
    }

    private var window: String { EventFormatter.duration(answer.number("window") ?? 0) }

    private var origin: String {
        switch answer.text("source").flatMap(ExplanationAnswer.Source.init) {
        case .recording?: "from a replay"
        case .memory?: "from the fixes in memory"
        case .trip?, nil: "from recorded trips (fixes between them and rejected ones are not stored)"
        }
    }

    private static func line(_ fix: JSONValue, _ time: String, _ paint: Paint) -> String {
        let clock = EventFormatter.padded(time, to: 12)
        let distance = fix.number("distance").map { EventFormatter.length(.meters($0)) } ?? ""
        let place = fix.place.map(EventFormatter.place) ?? ""
        let accuracy = fix.number("accuracy").map { "±\(EventFormatter.length(.meters($0)))" } ?? ""
        let mark =
            if !fix.elements("events").isEmpty {
                paint.green("●")
            } else if fix.text("rejected") != nil {
                paint.red("✗")
            } else {
                "·"
            }
        let columns = [
            EventFormatter.padded(place, to: 26), EventFormatter.padded(accuracy, to: 7),
            EventFormatter.padded(distance, to: 9),
        ]
        let reason = EventFormatter.printable(fix.text("reason") ?? "")
        return "\(paint.dim(clock))  \(mark) \(columns.joined(separator: " "))  \(reason)"
    }
}
