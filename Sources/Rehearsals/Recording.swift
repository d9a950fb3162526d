import Geodesy
import Positioning

/// A journey, the receiver that was along, and what it recorded.
struct Recording {
    /// The name of its files, without their endings.
    let name: String
    /// When the journey begins.
    let start: Timestamp
    let journey: Journey
    let receiver: Receiver
    let epochs: [Epoch]

    /// Drives a route and records it; the time is RFC 3339.
    init(_ name: String, from start: String, _ profile: SpeedProfile, _ receiver: Receiver, _ route: [Waypoint]) {
        guard let start = Timestamp(rfc3339: start) else { preconditionFailure("\(start) is no time") }
        self.name = name
        self.start = start
        self.receiver = receiver
        journey = profile.drive(route)
        epochs = receiver.record(journey, from: start)
    }

    /// Metres of way between the last fix before the recording was paused and the first one after.
    var unrecorded: Double {
        guard let paused = receiver.paused else { return 0 }
        // Fixes come at whole intervals; the pause swallows those within it.
        let interval = receiver.interval
        let last = (paused.lowerBound - 1) / interval * interval
        let next = (paused.upperBound + interval - 1) / interval * interval
        return journey.moment(second: next).at - journey.moment(second: last).at
    }

    /// The fixes before and after each time without any, the pause of the recording included.
    var silences: [(before: Timestamp, after: Timestamp)] {
        let times = epochs.filter { $0.fix != nil }.map(\.time)
        return zip(times, times.dropFirst()).filter { $1.seconds(since: $0) > Double(receiver.interval) }
            .map { (before: $0, after: $1) }
    }
}
