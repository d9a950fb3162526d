import Geodesy
import Time

/// A journey, the receiver on board, and its recording.
struct SimulatedRecording {
    /// The name of its files, without their endings.
    let name: String
    /// The time at which the journey begins.
    let start: Timestamp
    let journey: Journey
    let receiver: SimulatedReceiver
    let epochs: [SimulatedEpoch]

    /// Drives a route, and records it.
    ///
    /// - Parameter start: The time at which the journey begins, in the form of RFC 3339.
    init(
        _ name: String, from start: String, _ profile: SpeedProfile, _ receiver: SimulatedReceiver, _ route: [Waypoint]
    ) {
        guard let start = Timestamp(rfc3339: start) else { preconditionFailure("\(start) is not a time") }
        self.name = name
        self.start = start
        self.receiver = receiver
        journey = profile.drive(route)
        epochs = receiver.record(journey, from: start)
    }

    /// The way in metres between the last fix before the recording was paused and the first one after; 0 without a
    /// pause.
    var unrecorded: Double {
        guard let paused = receiver.paused else { return 0 }
        // Fixes are at multiples of the interval; the pause removes those within it.
        let interval = receiver.interval
        let last = (paused.lowerBound - 1) / interval * interval
        let next = (paused.upperBound + interval - 1) / interval * interval
        return journey.moment(second: next).at - journey.moment(second: last).at
    }

    /// The times of the fixes before and after each period without any, the pause of the recording included.
    var silences: [(before: Timestamp, after: Timestamp)] {
        let times = epochs.filter { $0.fix != nil }.map(\.time)
        return zip(times, times.dropFirst()).filter { $1.seconds(since: $0) > Double(receiver.interval) }
            .map { (before: $0, after: $1) }
    }
}
