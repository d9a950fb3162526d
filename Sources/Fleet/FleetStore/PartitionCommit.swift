#if Fleet
public import Geodesy
public import Time
public import Tracking

/// What one batch of a partition changes; it is written in one transaction, or not at all.
public struct PartitionCommit: Sendable {
    /// The state of a device after its last fix.
    public struct DeviceState: Sendable {
        /// The time of the last fix; `nil` for a device without one.
        public var time: Timestamp?
        /// The place of the last fix.
        public var place: Coordinate?
        /// The state from which the device's tracker resumes.
        public var saved: Tracker.Saved

        /// Creates the state of a device.
        public init(time: Timestamp?, place: Coordinate?, saved: Tracker.Saved) {
            (self.time, self.place, self.saved) = (time, place, saved)
        }
    }

    /// A change to the trips and stops of a device.
    ///
    /// The changes of a device are written in their order.
    public enum TravelWrite: Sendable {
        /// A trip begins.
        case tripBegan(TripSummary)
        /// Points of a trip.
        case points(PackedTrace, trip: String)
        /// All points of a trip after this time are removed.
        case truncated(trip: String, after: Timestamp)
        /// A trip has ended; its summary is final.
        case tripEnded(TripSummary)
        /// A trip is gone, because another one shows its points.
        case tripRemoved(String)
        /// The second trip continues the first after a silence.
        case tripsJoined(String, String)
        /// A stop begins or has ended.
        case stop(StopSummary)
    }

    /// A message that cannot be applied.
    public struct Refusal: Sendable {
        /// Its content.
        public var body: [UInt8]
        /// The reason, as a clause.
        public var reason: String

        /// Creates a refusal.
        public init(body: [UInt8], reason: String) { (self.body, self.reason) = (body, reason) }
    }

    /// The version of the geofences with which the events were decided.
    public var geofences: Int64
    /// The events, in the order of the log.
    public var events: [Event] = []
    /// The states, by device.
    public var devices: [String: DeviceState] = [:]
    /// The changes to trips and stops, in order.
    public var travels: [TravelWrite] = []
    /// What is known of the publishers' messages, by publisher.
    public var publishers: [String: AppliedMessages] = [:]
    /// The messages that cannot be applied.
    public var refusals: [Refusal] = []
    /// The message that was tried alone, if there is one; see ``FleetDatabase/beginAttempt(at:of:in:)``.
    public var attempt: (publisher: String, number: UInt64)?

    /// Creates an empty commit.
    public init(geofences: Int64) { self.geofences = geofences }

    /// Whether there is nothing to write.
    public var isEmpty: Bool {
        events.isEmpty && devices.isEmpty && travels.isEmpty && publishers.isEmpty && refusals.isEmpty
            && attempt == nil
    }
}

/// Which messages of a publisher a partition has applied.
///
/// A publisher numbers its messages for a partition from 1, and sends one again under its number. So each is
/// applied once, however often it is delivered. The times of the fixes would not do: a fix that the gate rejected
/// counts again if it comes again.
public struct AppliedMessages: Hashable, Sendable {
    /// The number of messages up to the highest that are remembered one by one.
    ///
    /// It is above the number of messages that a publisher has without a confirmation, and of those that a consumer
    /// has without an acknowledgement; so a message below them has been applied, or its publisher breaks the rule.
    public static let window = 1024

    /// The highest number that was applied; 0 for none.
    public private(set) var highest: UInt64 = 0
    /// The bits of the last numbers: bit *n* modulo ``window`` is that of the number *n*.
    private var bits = [UInt64](repeating: 0, count: window / 64)

    /// What a message is among those applied.
    public enum Verdict: Sendable {
        /// It has not been applied.
        case new
        /// It has been applied.
        case applied
        /// It is so old that nobody knows.
        case unknown
    }

    /// Creates the memory of a publisher that has sent nothing.
    public init() {}

    /// Reads what ``bytes`` has written, with the highest number; `nil` if that is not possible.
    public init?(highest: UInt64, bytes: [UInt8]) {
        guard bytes.count == Self.window / 8 else { return nil }
        self.highest = highest
        for (index, byte) in bytes.enumerated() { bits[index / 8] |= UInt64(byte) << UInt64(index % 8 * 8) }
    }

    /// The bits of the last numbers.
    public var bytes: [UInt8] {
        bits.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) } }
    }

    /// Returns what a message is, and remembers it if it is new.
    ///
    /// - Complexity: O(*d*) for a number that is *d* above the highest, at most that of the window.
    public mutating func apply(_ number: UInt64) -> Verdict {
        if number > highest {
            if number - highest >= UInt64(Self.window) {
                bits = [UInt64](repeating: 0, count: bits.count)
            } else {
                for passed in highest + 1..<number { set(passed, false) }
            }
            set(number, true)
            highest = number
            return .new
        }
        guard highest - number < UInt64(Self.window) else { return .unknown }
        let (word, bit) = place(of: number)
        guard bits[word] & bit == 0 else { return .applied }
        bits[word] |= bit
        return .new
    }

    private mutating func set(_ number: UInt64, _ isApplied: Bool) {
        let (word, bit) = place(of: number)
        if isApplied { bits[word] |= bit } else { bits[word] &= ~bit }
    }

    private func place(of number: UInt64) -> (word: Int, bit: UInt64) {
        let index = Int(number % UInt64(Self.window))
        return (index / 64, 1 << UInt64(index % 64))
    }
}
#endif
