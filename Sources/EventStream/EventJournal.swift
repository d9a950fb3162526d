import RPC

/// An event as subscribers see it: its text, and the values that filters examine.
public struct JournalEntry: Sendable, Equatable {
    /// The number in the log; `nil` for a transient event, which is not stored.
    public let seq: Int64?
    /// The type, such as `geofence.enter`.
    public let type: String
    /// The name of the device, if the event concerns one.
    public let device: String?
    /// The subject as `KIND/ID`, if the event has one.
    public let subject: String?
    /// The position of the event.
    public let place: Place
    /// The id of the person it is addressed to, if any.
    public let recipient: String?
    /// The event as one JSON object without a line ending, byte for byte as it is stored.
    public let line: [UInt8]

    /// Creates an event; omitted values are unknown to filters.
    public init(
        seq: Int64?, type: String, device: String? = nil, subject: String? = nil, place: Place = .nowhere,
        recipient: String? = nil, line: [UInt8]
    ) {
        self.seq = seq
        self.type = type
        self.device = device
        self.subject = subject
        self.place = place
        self.recipient = recipient
        self.line = line
    }
}

extension JournalEntry {
    /// The position of an event, as filters examine it.
    public enum Place: Sendable, Equatable {
        /// The event has no position, or the position is unknown.
        case nowhere
        /// A position in degrees.
        case at(latitude: Double, longitude: Double)
        /// The position is in the members `lat` and `lon` of the text, which are parsed when a filter needs them.
        case inLine
    }

    /// The latitude and longitude in degrees; `nil` if the event has no position.
    var degrees: (latitude: Double, longitude: Double)? {
        switch place {
        case .nowhere: return nil
        case .at(let latitude, let longitude): return (latitude, longitude)
        case .inLine:
            let event = try? JSONValue(parsing: line.span)
            guard let latitude = event?["lat"].flatMap({ Double(json: $0) }),
                let longitude = event?["lon"].flatMap({ Double(json: $0) })
            else { return nil }
            return (latitude, longitude)
        }
    }
}

/// A log of stored events, which are numbered without gaps.
public protocol EventJournal: Sendable {
    /// Returns the range of events that the log holds now.
    func bounds() async throws -> JournalBounds

    /// Returns the events with numbers greater than `seq`, in order, at most `limit` of them.
    ///
    /// The result includes every event committed before the call. Fewer than `limit` events mean that there were no
    /// more.
    ///
    /// - Parameter principal: The caller on whose behalf the journal is read.
    func read(after seq: Int64, limit: Int, for principal: Principal) async throws -> [JournalEntry]
}

/// The range of events that a log holds.
public struct JournalBounds: Sendable, Equatable {
    /// The random name of the log.
    ///
    /// A number is valid only in its own log.
    public let log: String
    /// The number of the first event in the log; the number of the next event if the log is empty.
    public let first: Int64
    /// The number of the last event ever appended; 0 if there was none.
    public let last: Int64

    /// Creates the bounds of a log.
    ///
    /// If the log holds no event, `first` must be `last` + 1.
    public init(log: String, first: Int64, last: Int64) {
        self.log = log
        self.first = first
        self.last = last
    }
}
