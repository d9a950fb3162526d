public import Positioning
import Receivers
import Service
import Store
public import Tracking

/// What new sights or new settings would have told, and how that differs from what was told.
public struct Backtest {
    /// What is changed of the settings that a trip was recorded with, or of the usual ones.
    public typealias Change = (inout TrackingPolicy) -> Void

    /// Gets each event with how it stands to what was told, as a JSON object.
    public typealias Tell = (EventDifference.Change, _ line: [UInt8]) throws -> Void

    /// What a backtest came to.
    public struct Outcome: Sendable {
        /// Trips gone through.
        public internal(set) var trips = 0
        /// Fixes gone through.
        public internal(set) var fixes = 0
        /// Events that were told and cannot be told again, for the fixes that decided them were not kept.
        public internal(set) var doubtful = 0

        package init() {}
    }

    package let change: Change
    package let tell: Tell
    /// Gets how many fixes were gone through, now and then.
    package let progressed: (Int) -> Void
    /// What it has come to so far.
    public internal(set) var outcome = Outcome()

    static let geofences = "geofence."

    /// A backtest of changed settings.
    ///
    /// - Parameter progressed: gets how many fixes were gone through, now and then.
    public init(
        changing change: @escaping Change, progressed: @escaping (Int) -> Void = { _ in }, tell: @escaping Tell
    ) {
        self.change = change
        self.progressed = progressed
        self.tell = tell
    }

    /// Goes through a recording, and holds what it tells by the changed settings against what it tells by the usual
    /// ones.
    ///
    /// Memory does not grow with the recording.
    ///
    /// - Parameters:
    ///   - device: instead of the file's name.
    ///   - date: the day on which a log without dates begins.
    /// - Throws: `RecordingError` where it cannot be read further, and what `tell` throws.
    public mutating func read(
        _ path: String, watching index: GeofenceIndex, device: String? = nil, date: CalendarDate? = nil
    ) throws {
        let recording = try Recording(path: path, date: date)
        var policy = TrackingPolicy()
        let device = device ?? recording.device
        var usual = Tracker(device: device, policy: policy)
        change(&policy)
        var changed = Tracker(device: device, policy: policy)
        var difference = EventDifference()
        defer { outcome.doubtful += difference.doubtful }
        func take(_ output: inout Tracker.Output, _ body: (Event, String) -> Void) {
            for event in output.events where event.type.hasPrefix(Self.geofences) { body(event, event.subject ?? "") }
            output = Tracker.Output()
        }
        var (told, expected) = (Tracker.Output(), Tracker.Output())
        while let fixes = try recording.next() {
            for fix in fixes {
                usual.ingest(fix, in: index, into: &expected)
                changed.ingest(fix, in: index, into: &told)
            }
            outcome.fixes += fixes.count
            progressed(outcome.fixes)
            take(&expected) { difference.expect(type: $0.type, subject: $1, time: $0.time, line: $0.json()) }
            take(&told) { difference.tell(type: $0.type, subject: $1, time: $0.time, line: $0.json()) }
            if let last = [usual.position?.time, changed.position?.time].compactMap(\.self).min() {
                // A leg tells what it crossed of up to its beginning.
                let span = Int64(TrackingPolicy.longestLegTime * 1000)
                try difference.settle(before: last.advanced(byMilliseconds: -span), tell)
            }
        }
        try difference.settle(tell)
    }
}
