import Time

/// Repeats the exits that are alarms, each minute of the fixes, until the device is inside again or the geofence gives no
/// alarm any more.
struct AlarmWatch: Codable, Hashable, Sendable {
    /// An alarm that has been reported.
    private struct Alarm: Codable, Hashable {
        var geofence: Geofence.Identity
        /// When it was last reported.
        var last: Timestamp
        /// How often it was reported.
        var count: Int32
        /// The seconds inside before the exit.
        var inside: Double
    }

    private var alarms: [Alarm] = []

    /// The seconds between two reports.
    private static let interval = 60.0

    /// Whether no alarm is to be repeated.
    var isEmpty: Bool { alarms.isEmpty }

    /// Takes the events that a fix has caused.
    ///
    /// - Returns: the alarms to report again, with the seconds inside before the exit and the number of earlier reports.
    mutating func advance(
        _ events: ArraySlice<Event>, at time: Timestamp, in index: GeofenceIndex
    ) -> [(number: Int32, inside: Double, again: Int)] {
        for event in events {
            switch event.kind {
            case .enter(let sighting, _):
                alarms.removeAll { $0.geofence == sighting.geofence.identity }
            case .exit(let sighting, let inside, removed: false) where sighting.geofence.isAlarm:
                alarms.removeAll { $0.geofence == sighting.geofence.identity }
                alarms.append(Alarm(geofence: sighting.geofence.identity, last: time, count: 1, inside: inside))
            default: break
            }
        }
        alarms.removeAll { alarm in !(index.number(of: alarm.geofence).map { index.isAlarm($0) } ?? false) }
        var due: [(number: Int32, inside: Double, again: Int)] = []
        for position in alarms.indices where time.seconds(since: alarms[position].last) >= Self.interval {
            guard let number = index.number(of: alarms[position].geofence) else { continue }
            due.append((number, alarms[position].inside, Int(alarms[position].count)))
            alarms[position].last = time
            alarms[position].count = min(alarms[position].count, .max - 1) + 1
        }
        return due
    }
}
