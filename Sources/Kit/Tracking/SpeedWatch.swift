import Geodesy
import Time

/// Reports when a device is faster than a limit for some seconds, and when it is slower again.
///
/// A single wild fix reports nothing: the fixes of at least ``leastTime`` must agree. What a device did before a gap in
/// its recording does not count for what it does after it.
struct SpeedWatch: Codable, Hashable, Sendable {
    /// A limit: that of a geofence that the device is inside, or its own.
    struct Limit {
        /// The geofence; `nil` for the device's own limit.
        var geofence: Geofence.Identity?
        var speed: Speed
    }

    /// What a fix contributes.
    struct Step {
        var time: Timestamp
        /// The speed; `nil` if it is unknown.
        var speed: Speed?
        /// The distance from the fix before.
        var way: Distance
        /// Whether the path from the fix before is unknown.
        var isApart: Bool
    }

    /// What is to be reported of a limit.
    struct Report {
        var geofence: Geofence.Identity?
        var speeding: Event.Speeding
    }

    /// The time since a device exceeded a limit.
    private struct Run: Codable, Hashable {
        var geofence: Geofence.Identity?
        /// The limit, in metres a second.
        var limit: Double
        var since: Timestamp
        var isReported = false
        /// The greatest speed, in metres a second.
        var fastest: Double
        /// The metres since then.
        var way = 0.0
        /// The first fix since which the device has not exceeded the limit, and the metres up to there.
        var under: Timestamp?
        var wayToUnder = 0.0

        func isOf(_ limit: Limit) -> Bool {
            geofence == limit.geofence && self.limit == limit.speed.metersPerSecond
        }

        func report(_ speed: Speed?, end: Event.Speeding.End? = nil) -> Report {
            Report(
                geofence: geofence,
                speeding: Event.Speeding(limit: .metersPerSecond(limit), speed: speed, end: end))
        }

        /// Returns the report of the end, at the first fix under the limit or, if there is none, at the given time.
        func ended(at time: Timestamp, _ speed: Speed?) -> Report {
            report(
                speed,
                end: Event.Speeding.End(
                    fastest: .metersPerSecond(fastest), over: .meters(under == nil ? way : wayToUnder),
                    seconds: (under ?? time).seconds(since: since)))
        }
    }

    private var runs: [Run] = []

    /// The seconds for which fixes must agree.
    private static let leastTime = 5.0

    /// Whether no limit is exceeded, nor was just now.
    var isEmpty: Bool { runs.isEmpty }

    /// Takes the next fix.
    ///
    /// - Parameter limits: the limits that hold at the fix.
    /// - Returns: what is to be reported.
    mutating func advance(_ step: Step, limits: [Limit]) -> [Report] {
        var reports: [Report] = []
        var kept: [Run] = []
        for var run in runs {
            if !step.isApart { run.way += step.way.meters }
            guard !step.isApart, limits.contains(where: run.isOf) else {
                if run.isReported { reports.append(run.ended(at: step.time, step.speed)) }
                continue
            }
            if let speed = step.speed?.metersPerSecond {
                if speed > run.limit {
                    (run.fastest, run.under) = (max(run.fastest, speed), nil)
                    if !run.isReported, step.time.seconds(since: run.since) >= Self.leastTime {
                        run.isReported = true
                        reports.append(run.report(step.speed))
                    }
                } else {
                    guard run.isReported else { continue }
                    if run.under == nil { (run.under, run.wayToUnder) = (step.time, run.way) }
                    if let under = run.under, step.time.seconds(since: under) >= Self.leastTime {
                        reports.append(run.ended(at: step.time, step.speed))
                        continue
                    }
                }
            }
            kept.append(run)
        }
        if let speed = step.speed {
            for limit in limits where speed > limit.speed && !kept.contains(where: { $0.isOf(limit) }) {
                kept.append(
                    Run(
                        geofence: limit.geofence, limit: limit.speed.metersPerSecond, since: step.time,
                        fastest: speed.metersPerSecond))
            }
        }
        runs = kept
        return reports
    }
}
