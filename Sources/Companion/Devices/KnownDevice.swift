import Geodesy
import Positioning
import RPC
import Service
import Time

/// A device as the caller may see it.
struct KnownDevice: Answerable, Sendable {
    private var name: String
    private var title: String?
    private var isPrimary: Bool
    private var last: Sighting?
    /// The ids of the people whom it carries; `nil` if the caller may not see them.
    private var people: [String]?
    /// Whether its phone is told which sights to watch.
    private var hasRegions: Bool
    private var speedLimit: Speed?

    private struct Sighting: Sendable {
        var time: Timestamp
        var place: Coordinate
    }

    init(_ device: DeviceDirectory.Device, people: [String]?, hasRegions: Bool) {
        name = device.name
        title = device.title
        isPrimary = device.isPrimary
        last = device.last.flatMap { fix in fix.time.map { Sighting(time: $0, place: fix.coordinate) } }
        self.people = people
        self.hasRegions = hasRegions
        speedLimit = device.speedLimit
    }

    static let shape = AnswerShape<KnownDevice>.object {
        Member("name", .text, "The name.") { $0.name }
        Member.optional("title", .text, "The title.") { $0.title }
        Member("primary", .boolean, "Whether this is the primary device, which is used where none is named.") {
            $0.isPrimary
        }
        Member.optional("last", sighting, "The time and position of the last fix; absent before the first fix.") {
            $0.last
        }
        Member.optional(
            "people", .array(of: .text(.string(length: 1...Schema.longestDeviceName))),
            "The ids of the people whom the device carries. Only they and administrators see them."
        ) { $0.people }
        Member.flag("regions", "Whether OwnTracks on its phone is told the nearest sights, to watch them by itself.") {
            $0.hasRegions
        }
        Member.optional(
            "speed_limit", .number(decimals: 2),
            "The speed in metres a second above which the device is reported, wherever it is; absent without its own limit."
        ) { $0.speedLimit?.metersPerSecond }
    }

    private static let sighting = AnswerShape<Sighting>.object {
        Member("time", .time, "The time of the fix.") { $0.time }
        Member.place("Degrees north.", "Degrees east.") { $0.place }
    }
}

/// The last position of a device.
struct CurrentPosition: Answerable, Sendable {
    var device: String
    var time: Timestamp
    var fix: Fix
    /// How old the fix is; `nil` if that is unknown.
    var age: FixAge?

    static let shape = AnswerShape<CurrentPosition>.object {
        Member("device", .text, "The device's name.") { $0.device }
        Member("time", .time, "The time of the fix.") { $0.time }
        Member.optional(
            "age", .number(decimals: 1),
            "The seconds since the fix came, by a clock that nobody sets; for a fix from before the daemon's start, by the system's clock."
        ) { $0.age?.seconds }
        Member.flag(
            "old", "Whether the fix is too old to say where the device is now; its speed and track are those of then."
        ) { $0.age?.isOld ?? false }
        Member.place("Degrees north.", "Degrees east.") { $0.fix.coordinate }
        Member.optional("alt", .number(decimals: 1), "Metres above mean sea level.") { $0.fix.altitude?.meters }
        Member.optional("speed", .number(decimals: 2), "Metres per second.") { $0.fix.speed?.metersPerSecond }
        Member.optional("track", .number(decimals: 1), "Degrees clockwise from true north.") { $0.fix.track?.degrees }
        Member.optional(
            "accuracy", .number(decimals: 1),
            "The radius in metres that holds the true position in 95 % of cases."
        ) { $0.fix.accuracy?.meters }
        Member.optional(
            "mode", .integer(.integer(in: 2...3)), "2 for a fix without height, 3 for a fix with height."
        ) { $0.fix.mode?.rawValue }
    }
}
