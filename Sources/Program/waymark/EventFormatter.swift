import Geodesy
import TextCoding
import Time
import Tracking

/// A formatter of events as lines for people: time, type, title and details, in columns.
struct EventFormatter {
    private let paint: Paint
    private let showsDevice: Bool
    private let clock: DisplayClock
    private let titleWidth: Int
    private var head: String?

    /// The column at which a line continues if the terminal breaks it; the event's title begins there.
    static let textColumn = 21

    /// Creates a formatter whose first line is a day.
    ///
    /// - Parameter titleWidth: The width of a title in columns, if something follows it.
    init(paint: Paint, showsDevice: Bool, clock: DisplayClock = .local, titleWidth: Int = 30) {
        self.paint = paint
        self.titleWidth = titleWidth
        self.showsDevice = showsDevice
        self.clock = clock
    }

    /// Returns the lines of an event; a line with the day precedes the first event of each day.
    ///
    /// - Parameter name: The name of its trip or stop, such as `Utrecht → Amsterdam`; `nil` if it is unknown.
    mutating func lines(of event: EventView, called name: String? = nil) -> [String] {
        var lines: [String] = []
        if let time = event.time, case let head = clock.head(of: time), head != self.head {
            self.head = head
            lines.append(paint.dim(head))
        }
        let clock = event.time.map { self.clock.time($0) } ?? Self.padded("", to: 8)
        if case .notification(let text) = event.kind {
            // The text is a sentence, which is not cut.
            let device = showsDevice && !event.device.isEmpty ? "  " + paint.dim(Self.printable(event.device)) : ""
            let word = "\(paint.blue("✉")) \(Self.padded("told", to: 7))"
            lines.append("\(paint.dim(clock))  \(word)  \(text.painted(paint))\(device)")
            return lines
        }
        if case .health(let texts) = event.kind {
            // The texts are clauses, which are not cut.
            let mark = texts.isEmpty ? paint.green("✓") : paint.red("!")
            let text = texts.isEmpty ? "all is well" : texts.map(Self.printable).joined(separator: "; ")
            lines.append("\(paint.dim(clock))  \(mark) \(Self.padded("health", to: 7))  \(text)")
            return lines
        }
        let (mark, word, title, more) = describe(event, name)
        let device = showsDevice ? "  " + paint.dim(Self.printable(event.device)) : ""
        let text = "\(paint.dim(clock))  \(mark) \(Self.padded(word, to: 7))  "
        // A line must not end with blanks.
        let isLast = more.isEmpty && device.isEmpty
        lines.append(
            isLast
                ? text + paint.bold(Self.printable(title))
                : text + "\(paint.bold(Self.padded(title, to: titleWidth)))  \(more)\(device)")
        return lines
    }

    private func describe(
        _ event: EventView, _ called: String?
    ) -> (mark: String, word: String, name: String, more: String) {
        let called = called.map(Self.printable)
        switch event.kind {
        case .position(let place, let speed): return ("·", "at", Self.place(place), speed.map(Self.speed) ?? "")
        case .enter(let title, let distance, let initial):
            // The centre of a polygon or a corridor says nothing.
            let more = [distance.map { "\(Self.length($0)) away" }, initial ? "there from the beginning" : nil]
            return (paint.green("●"), "enter", title, more.compactMap(\.self).joined(separator: ", "))
        case .exit(let title, let inside, let removed):
            return (
                paint.yellow("○"), "leave", title, removed ? "it was removed" : "after \(Self.duration(inside))"
            )
        case .dwell(let title, let inside):
            return (paint.green("◆"), "dwell", title, "for \(Self.duration(inside))")
        case .cross(let title, let distance):
            let closest = distance.map { "\(Self.length($0)) at the closest" }
            return (paint.green("◇"), "cross", title, closest ?? "")
        case .speeding(let title, let speed, let limit, let fastest):
            let over = "over \(Self.speed(limit))"
            guard let fastest else {
                let now = speed.map { "\(Self.speed($0)), " } ?? ""
                return (paint.yellow("»"), "fast", title ?? "", now + over)
            }
            return (paint.yellow("»"), "slower", title ?? "", "at most \(Self.speed(fastest)), \(over)")
        case .approach(let title, let eta, let side):
            return (paint.blue("△"), "near", title, "in \(Self.duration(eta)), \(Self.sided(side))")
        case .tripStart(let id):
            return (
                paint.blue("▶"), "trip", called.map { "begins: \($0)" } ?? "begins", paint.dim(Self.printable(id))
            )
        case .tripEnd(let trip):
            return (paint.blue("■"), "trip", called.map { "ends: \($0)" } ?? "ends", Self.summary(of: trip))
        case .tripRevised(let trip, let change, let into):
            let id = Self.printable(trip.id)
            let name = Self.changed[change] ?? change
            guard let into else {
                return (paint.blue("✎"), "trip", name, "\(Self.summary(of: trip))  \(paint.dim(id))")
            }
            return (paint.blue("✎"), "trip", name, paint.dim("\(id) is now in \(Self.printable(into))"))
        case .stopStart(let place):
            return (paint.blue("▼"), "stop", called ?? Self.place(place), called == nil ? "" : Self.place(place))
        case .stopEnd(let stop):
            let length = stop.end.map { $0.seconds(since: stop.start) }
            return (
                paint.blue("▲"), "moves", called.map { "on from \($0)" } ?? "on",
                length.map { "after \(Self.duration($0))" } ?? ""
            )
        case .receiver(true, _): return (paint.green("+"), "online", event.device, "")
        case .receiver(false, let reason):
            return (paint.red("!"), "offline", event.device, Self.printable(reason ?? ""))
        case .notification(let text): return ("✉", "told", text.plain, "")
        case .health(let texts): return ("!", "health", texts.first ?? "all is well", "")
        case .other(let type): return ("·", "", type, "")
        }
    }

    /// The words for the changes that `trip.revised` names.
    private static let changed = [
        "merge": "merged", "split": "split", "edit": "edited", "recompute": "recomputed", "undo": "undone",
        "late": "completed with late points",
    ]

    private static func summary(of trip: TripSummary) -> String {
        let stops = trip.stops == 0 ? "" : ", \(trip.stops) \(trip.stops == 1 ? "stop" : "stops")"
        let fastest = trip.maximumSpeed.map { ", up to \(speed($0))" } ?? ""
        return "\(length(trip.distance)) in \(duration(trip.length))\(stops)\(fastest)"
    }

    private static func sided(_ side: String) -> String {
        switch side {
        case "left": "on the left"
        case "right": "on the right"
        default: printable(side)
        }
    }

    /// Returns a length in metres below ten kilometres, and in kilometres from there.
    static func length(_ distance: Distance) -> String {
        let meters = rounded(distance.meters, to: 10)
        return meters < 10_000
            ? "\(DecimalText.string(meters, decimals: 0)) m" : "\(DecimalText.string(meters / 1000, decimals: 1)) km"
    }

    static func speed(_ speed: Speed) -> String {
        "\(DecimalText.string(rounded(speed.metersPerSecond, to: 100) * 3.6, decimals: 0)) km/h"
    }

    /// Rounds a value as events do, so that a line is the same for an event made here and one read from JSON.
    private static func rounded(_ value: Double, to parts: Double) -> Double { (value * parts).rounded() / parts }

    /// Returns a duration in its two largest units of days, hours, minutes and seconds.
    static func duration(_ seconds: Double) -> String {
        let whole = Int(rounded(min(max(seconds, 0), QuantityArgument.greatest), to: 1000).rounded())
        let parts = [(whole / 86_400, "d"), (whole / 3600 % 24, "h"), (whole / 60 % 60, "min"), (whole % 60, "s")]
        let shown = parts.drop { $0.0 == 0 }.prefix(2).filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return shown.isEmpty ? "0 s" : shown.joined(separator: " ")
    }

    static func place(_ place: Coordinate) -> String {
        let latitude = DecimalText.string(abs(place.latitude), decimals: 5)
        let longitude = DecimalText.string(abs(place.longitude), decimals: 5)
        return "\(latitude)° \(place.latitude < 0 ? "S" : "N") \(longitude)° \(place.longitude < 0 ? "W" : "E")"
    }

    /// Pads a text with blanks to a width, or cuts it with an ellipsis if it is longer.
    static func padded(_ text: String, to width: Int) -> String {
        let visible = printable(text)
        guard visible.count <= width else { return visible.prefix(width - 1) + "…" }
        return visible + String(repeating: " ", count: width - visible.count)
    }

    /// Returns the first `width` columns of a text, with all its colour codes, which take no columns.
    static func cut(_ text: String, to width: Int) -> String {
        var shown = ""
        var columns = 0
        var isCode = false
        for character in text {
            if character == "\u{1B}" { isCode = true }
            if isCode {
                shown.append(character)
                if character == "m" { isCode = false }
                continue
            }
            columns += 1
            if columns <= width { shown.append(character) }
        }
        return shown
    }

    /// Returns a text without characters that control a terminal, break the line or change the writing direction.
    static func printable(_ text: String) -> String {
        let isPlain = { (scalar: Unicode.Scalar) in
            switch scalar.value {
            case 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: false
            default: !ControlCharacters.contains(scalar)
            }
        }
        return String(String.UnicodeScalarView(text.unicodeScalars.filter(isPlain)))
    }
}

extension TripSummary {
    /// The seconds from start to end, gaps included; 0 for an open trip.
    var length: Double { end.map { $0.seconds(since: start) } ?? 0 }
}
