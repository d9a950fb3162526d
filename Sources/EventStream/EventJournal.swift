import RPC

/// An event as subscribers see it: its text, and what their filters look at.
public struct JournalEntry: Sendable, Equatable {
    /// Its number in the log; nil for an event that is not kept.
    public let seq: Int64?
    /// Its type, such as `geofence.enter`.
    public let type: String
    /// The device it is of, if of one.
    public let device: String?
    /// What it is about, as `KIND/ID`, if about something.
    public let subject: String?
    /// Where it happened.
    public let place: Place
    /// Whom it is addressed to, if to someone.
    public let recipient: String?
    /// The event itself: one JSON object without a line end, the very bytes that are kept.
    public let line: [UInt8]

    /// An event.
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
    /// Where an event happened, as filters ask for it.
    public enum Place: Sendable, Equatable {
        /// Nowhere, or nobody knows.
        case nowhere
        /// In degrees.
        case at(latitude: Double, longitude: Double)
        /// As `lat` and `lon` of its text say, which is read where a filter asks.
        case inLine
    }

    /// Latitude and longitude in degrees, if it happened anywhere.
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

/// A log of events that are kept, numbered without gaps.
public protocol EventJournal: Sendable {
    /// What is kept now.
    func bounds() async throws -> JournalBounds

    /// The kept events with a number greater than `seq`, in order, at most `limit` of them.
    ///
    /// Every event that was committed before the call is seen; fewer than `limit` means that there were no more.
    /// - Parameter principal: for whom it is read.
    func read(after seq: Int64, limit: Int, for principal: Principal) async throws -> [JournalEntry]
}

/// Which events a log keeps.
public struct JournalBounds: Sendable, Equatable {
    /// The log's random name; numbers of one log mean nothing in another.
    public let log: String
    /// The number of the first event kept; where none is, of the next to come.
    public let first: Int64
    /// The number of the last event; 0 where there never was one.
    public let last: Int64

    /// What is kept: with nothing kept, `first` is `last` + 1.
    public init(log: String, first: Int64, last: Int64) {
        self.log = log
        self.first = first
        self.last = last
    }
}
