public import Geodesy
import TextCoding
public import Time

/// An event in the form in which the log stores it and subscribers receive it, whatever it is about.
///
/// It holds what filters look at, and the JSON object. Features create records for their own events;
/// ``init(_:)`` creates one for an event of a tracker.
public struct EventRecord: Hashable, Sendable {
    /// The number in the log, which only grows, has no gaps and never changes its meaning.
    ///
    /// `nil` until the log has stored the event, and always for a position, which is not stored.
    public private(set) var seq: Int64?
    /// The time of the event.
    public let time: Timestamp
    /// The type on the wire, such as `geofence.enter`.
    public let type: String
    /// The device that the event happened to, or `nil` if it concerns none.
    public let device: String?
    /// The subject of the event as `KIND/ID`, or `nil` if it has none.
    public let subject: String?
    /// The id of the only person who may see the event, or `nil` if it is for everybody.
    public let recipient: String?
    /// The place of the event, or `nil` if it is known only from `lat` and `lon` of ``line``.
    public let place: Coordinate?
    /// The JSON object as it is served, in UTF-8 without a line end; it begins with `seq` once there is a number.
    public private(set) var line: [UInt8]
    /// The system's time at which the fix that decided the event came, if that was late; see ``told(late:)``.
    public private(set) var received: Timestamp?
    private var firstDamaged: Int64?

    /// Creates the record of an event that is to be stored or published.
    ///
    /// - Parameter members: The members of the JSON object without its braces and without `seq`, in UTF-8; at least one.
    public init(
        time: Timestamp, type: String, device: String?, subject: String?, recipient: String? = nil,
        place: Coordinate? = nil, members: [UInt8]
    ) {
        self.time = time
        self.type = type
        self.device = device
        self.subject = subject
        self.recipient = recipient
        self.place = place
        line = [UInt8(ascii: "{")] + members + [UInt8(ascii: "}")]
    }

    /// Creates the record of a tracker's event.
    public init(_ event: Event) {
        var json = JSONWriter()
        event.writeMembers(to: &json)
        self.init(
            time: event.time, type: event.type, device: event.device, subject: event.subject, place: event.place,
            members: json.bytes)
    }

    /// Creates a record from its parts, as the log stores them.
    ///
    /// - Parameter line: The JSON object, which begins with `seq` if there is a number.
    public init(
        seq: Int64?, time: Timestamp, type: String, device: String?, subject: String?, recipient: String?,
        place: Coordinate? = nil, line: [UInt8]
    ) {
        self.seq = seq
        self.time = time
        self.type = type
        self.device = device
        self.subject = subject
        self.recipient = recipient
        self.place = place
        self.line = line
    }

    /// Returns what stands for events of the log that cannot be read, or that a search has passed over, so that readers
    /// step past their numbers.
    ///
    /// Nobody receives it.
    ///
    /// - Parameters:
    ///   - seq: The last of the numbers.
    ///   - first: The first of them, if there are several.
    public static func damaged(_ seq: Int64, since first: Int64? = nil) -> EventRecord {
        var record = EventRecord(
            seq: seq, time: Timestamp(milliseconds: 0), type: "", device: nil, subject: nil, recipient: nil, line: [])
        record.firstDamaged = first
        return record
    }

    /// Whether this stands for events that cannot be read or were passed over; see ``damaged(_:since:)``.
    public var isDamaged: Bool { line.isEmpty }

    /// The first number that this stands for: ``seq``, unless it stands for several events that cannot be read.
    public var firstSeq: Int64? { firstDamaged ?? seq }

    /// The seconds by which the fix that decided an event must be behind its arrival for the event to say so.
    public static let lateness = 60.0

    /// Returns the record as that of an event whose deciding fix came late, such as one of a phone without a network.
    ///
    /// Its ``line`` stays that of an event in time, as the log stores it; ``served`` has the member.
    public func told(late received: Timestamp) -> EventRecord {
        var record = self
        record.received = received
        return record
    }

    /// The record with the member `received` in its ``line``, after `time` and `decided`, if it came late.
    ///
    /// - Complexity: O(*n*) for a line of *n* bytes, and O(1) if it was in time.
    public var served: EventRecord {
        guard let received, let place = line.firstRange(of: Self.device)?.lowerBound else { return self }
        var record = self
        record.line.insert(contentsOf: "\"received\":\"\(received)\",".utf8, at: place)
        return record
    }

    /// The member that follows the times, before which no text from outside stands.
    private static let device = Array("\"device\":".utf8)

    /// Whether the log stores events of this type.
    ///
    /// Positions are only sent to subscribers.
    public var isDurable: Bool { type != Event.positionType }

    /// Returns the record with its number in the log.
    public func numbered(_ seq: Int64) -> EventRecord {
        var record = self
        record.seq = seq
        record.line.replaceSubrange(..<1, with: "{\"seq\":\(seq),".utf8)
        return record
    }
}
