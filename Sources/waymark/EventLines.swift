import Geodesy
import Positioning
import TextCoding
import Tracking

/// Events as lines for people: time, what, where and how much, in columns.
struct EventLines {
    private let paint: Paint
    private let showsDevice: Bool
    private var day: Substring?

    init(paint: Paint, showsDevice: Bool) {
        self.paint = paint
        self.showsDevice = showsDevice
    }

    /// The lines of an event; before the first one of a day stands the day.
    mutating func lines(of event: Event) -> [String] {
        let time = event.time.description
        var lines: [String] = []
        if day != time.prefix(10) {
            day = time.prefix(10)
            lines.append(paint.dim("\(time.prefix(10)), times in UTC"))
        }
        let (mark, word, name, more) = describe(event)
        let device = showsDevice ? "  " + paint.dim(Self.printable(event.device)) : ""
        let text = "\(paint.dim(String(time.dropFirst(11).prefix(8))))  \(mark) \(Self.padded(word, to: 7))  "
        lines.append(text + "\(paint.bold(Self.padded(name, to: 30)))  \(more)\(device)")
        return lines
    }

    private func describe(_ event: Event) -> (mark: String, word: String, name: String, more: String) {
        switch event.kind {
        case .position(let fix):
            let speed = fix.speed.map { Self.speed($0) }
            return ("·", "at", Self.place(event.place), speed ?? "")
        case .enter(let sighting, let initial):
            let more = "\(Self.length(sighting.distance)) away" + (initial ? ", there from the beginning" : "")
            return (paint.green("●"), "enter", sighting.geofence.title, more)
        case .exit(let sighting, let inside, let removed):
            let more = removed ? "it was removed" : "after \(Self.duration(inside))"
            return (paint.yellow("○"), "leave", sighting.geofence.title, more)
        case .dwell(let sighting, let inside):
            return (paint.green("◆"), "dwell", sighting.geofence.title, "for \(Self.duration(inside))")
        case .cross(let sighting):
            return (
                paint.green("◇"), "cross", sighting.geofence.title,
                "\(Self.length(sighting.distance)) away at the closest"
            )
        case .tripStart(let trip): return (paint.blue("▶"), "trip", "begins", paint.dim(Self.printable(trip.id)))
        case .tripEnd(let trip): return (paint.blue("■"), "trip", "ends", Self.summary(of: trip))
        case .stopStart: return (paint.blue("▼"), "stop", Self.place(event.place), "")
        case .stopEnd(let stop):
            let length = stop.end.map { $0.seconds(since: stop.start) }
            return (paint.blue("▲"), "moves", "on", length.map { "after \(Self.duration($0))" } ?? "")
        }
    }

    private static func summary(of trip: TripSummary) -> String {
        let stops = trip.stops == 0 ? "" : ", \(trip.stops) \(trip.stops == 1 ? "stop" : "stops")"
        let fastest = trip.maximumSpeed.map { ", up to \(speed($0))" } ?? ""
        return "\(length(trip.distance)) in \(duration(trip.moving + trip.stopped))\(stops)\(fastest)"
    }

    /// Metres below ten kilometres, then kilometres.
    static func length(_ distance: Distance) -> String {
        distance < .kilometers(10)
            ? "\(DecimalText.string(distance.meters, decimals: 0)) m"
            : "\(DecimalText.string(distance.meters / 1000, decimals: 1)) km"
    }

    static func speed(_ speed: Speed) -> String {
        "\(DecimalText.string(speed.metersPerSecond * 3.6, decimals: 0)) km/h"
    }

    /// The two largest of days, hours, minutes and seconds.
    static func duration(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded())
        let parts = [(whole / 86_400, "d"), (whole / 3600 % 24, "h"), (whole / 60 % 60, "min"), (whole % 60, "s")]
        let shown = parts.drop { $0.0 == 0 }.prefix(2).filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return shown.isEmpty ? "0 s" : shown.joined(separator: " ")
    }

    static func place(_ place: Coordinate) -> String {
        let latitude = DecimalText.string(abs(place.latitude), decimals: 5)
        let longitude = DecimalText.string(abs(place.longitude), decimals: 5)
        return "\(latitude)° \(place.latitude < 0 ? "S" : "N") \(longitude)° \(place.longitude < 0 ? "W" : "E")"
    }

    /// A text filled with blanks to a width; a longer one is cut with an ellipsis.
    static func padded(_ text: String, to width: Int) -> String {
        let visible = printable(text)
        guard visible.count <= width else { return visible.prefix(width - 1) + "…" }
        return visible + String(repeating: " ", count: width - visible.count)
    }

    /// A text without what would steer a terminal, break its line, or turn its direction.
    static func printable(_ text: String) -> String {
        let isPlain = { (scalar: Unicode.Scalar) in
            switch scalar.value {
            case 0..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: false
            default: true
            }
        }
        return String(String.UnicodeScalarView(text.unicodeScalars.filter(isPlain)))
    }
}
