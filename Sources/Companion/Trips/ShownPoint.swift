import Geodesy
import Positioning
import RPC
import Service
import Time

/// A point of a trip's trace, in the form that `trips.trace` returns and `trips.import` accepts.
struct ShownPoint: Answerable, Sendable {
    private let time: Timestamp
    private let fix: Fix

    /// Returns `nil` for a fix without a time.
    ///
    /// No trace has one.
    init?(_ fix: Fix) {
        guard let time = fix.time else { return nil }
        self.time = time
        self.fix = fix
    }

    static let shape = AnswerShape<ShownPoint>.object {
        Member("time", .time, "The time of the point.") { $0.time }
        Member.place("Degrees north.", "Degrees east.") { $0.fix.coordinate }
        Member.optional("alt", .number(.number(in: Fix.altitudes), decimals: 1), "Metres above mean sea level.") {
            $0.fix.altitude?.meters
        }
        Member.optional(
            "speed", .number(signed(Fix.speeds), decimals: 2),
            "Metres per second; in an import, a negative value means unknown."
        ) { $0.fix.speed?.metersPerSecond }
        Member.optional("track", .number(signed(Fix.tracks), decimals: 1), "Degrees clockwise from true north.") {
            $0.fix.track?.degrees
        }
        Member.optional(
            "accuracy", .number(signed(Fix.accuracies), decimals: 1),
            "The radius in metres that holds the true position in 95 % of cases; in an import, below 0 means unknown."
        ) { $0.fix.accuracy?.meters }
        Member.flag("gap", "Whether the path from the previous point is unknown.") { $0.fix.beginsSegment }
    }

    /// Returns a schema for numbers up to the end of a range in either direction.
    ///
    /// Some programs write "unknown" as a number below zero.
    private static func signed(_ range: ClosedRange<Double>) -> Schema {
        .number(in: -range.upperBound...range.upperBound)
    }
}

/// A page of points in order of time, and the time after which the next page begins.
struct TracePage: Answerable, Sendable {
    private var page: Page<ShownPoint>
    private var last: Timestamp?

    init(limit: Int) { page = Page(list: "trips.trace", limit: limit) }

    /// Appends a point.
    ///
    /// Returns false if the page is full.
    mutating func append(_ fix: Fix) -> Bool {
        guard let point = ShownPoint(fix) else { return true }
        guard page.append(point) else { return false }
        last = fix.time
        return true
    }

    static let shape = AnswerShape<TracePage>.object {
        Page<ShownPoint>.elements("points", "The points; empty if they are no longer kept.").of { $0.page }
        Member.optional(
            "next", .time, "The value of `after` for the next page; absent on the last page."
        ) { $0.page.isFull ? $0.last : nil }
    }
}
