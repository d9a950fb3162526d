import Positioning
import Receivers
import Service
import Store
public import Time
public import Tracking

/// A comparison of the geofence events that new sights or settings would have emitted with those that were emitted.
public struct Backtest {
    /// A function that changes the settings that a trip was recorded with, or the default settings.
    public typealias Change = (inout TrackingPolicy) -> Void

    /// A function that receives the result for one event, and the event as a JSON object.
    public typealias Report = (EventDifference.Change, _ line: [UInt8]) throws -> Void

    /// The totals of a backtest.
    public struct Outcome: Sendable {
        /// The number of trips read.
        public internal(set) var trips = 0
        /// The number of fixes read.
        public internal(set) var fixes = 0
        /// The number of emitted events that the backtest cannot reproduce because the fixes that caused them were not
        /// kept.
        public internal(set) var doubtful = 0
        /// The number of legs that were too long, or took too long, to judge what the device passed.
        public internal(set) var unjudgedLegs = 0

        package init() {}
    }

    package let change: Change
    package let report: Report
    /// A function that receives the number of fixes read so far, now and then.
    package let progressed: (Int) -> Void
    /// The totals so far.
    public internal(set) var outcome = Outcome()

    static let geofences = "geofence."

    /// Creates a backtest of changed settings.
    ///
    /// - Parameter progressed: A function that receives the number of fixes read so far, now and then.
    public init(
        changing change: @escaping Change, progressed: @escaping (Int) -> Void = { _ in }, report: @escaping Report
    ) {
        self.change = change
        self.progressed = progressed
        self.report = report
    }

    /// Tracks a recording twice, and compares the events under the changed settings with those under the default
    /// settings.
    ///
    /// Memory use does not grow with the recording.
    ///
    /// - Parameters:
    ///   - device: The device's name; the default is taken from the recording.
    ///   - date: The first day of a log that has times without dates.
    /// - Throws: `RecordingError` if the recording cannot be read any further, and what `report` throws.
    public mutating func read(
        _ path: String, watching index: GeofenceIndex, device: String? = nil, date: CalendarDate? = nil
    ) throws {
        let recording = try TidyRecording(path: path, date: date)
        var policy = TrackingPolicy()
        let device = device ?? recording.device
        var usual = Tracker(device: device, policy: policy)
        change(&policy)
        var changed = Tracker(device: device, policy: policy)
        var difference = EventDifference()
        defer { outcome.doubtful += difference.doubtful }
        defer { outcome.unjudgedLegs += changed.statistics.unjudgedLegs }
        func emit(_ output: inout Tracker.Output, _ body: (Event, String) -> Void) {
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
            emit(&expected) { difference.expect(type: $0.type, subject: $1, time: $0.time, line: $0.json()) }
            emit(&told) { difference.observe(type: $0.type, subject: $1, time: $0.time, line: $0.json()) }
            if let last = [usual.position?.time, changed.position?.time].compactMap(\.self).min() {
                // A fix can still emit events for as far back as the beginning of its leg.
                let span = Int64(TrackingPolicy.longestLegTime * 1000)
                try difference.settle(before: last.advanced(byMilliseconds: -span), report)
            }
        }
        try difference.settle(report)
    }
}
