public import Time

/// Conditions on stored events that the log can search for; those left empty accept everything.
public struct EventQuery: Hashable, Sendable {
    /// Patterns of types, in which `*` matches any sequence of characters; an event matches one of them.
    public var types: [String] = []
    /// Names of devices; an event is of one of them.
    public var devices: [String] = []
    /// Subjects as `KIND/ID`; an event is about one of them.
    public var subjects: [String] = []
    /// Kinds of subjects; an event is about one of them.
    public var kinds: [String] = []
    /// The recipient of the events.
    public var recipient: String?
    /// The earliest time of the events.
    public var from: Timestamp?
    /// The time before which the events are.
    public var until: Timestamp?

    /// Creates a query that accepts every event.
    public init() {}

    /// Whether the query accepts every event.
    public var acceptsAll: Bool { self == EventQuery() }
}

/// A step of a search in the event log.
public struct EventSearch: Hashable, Sendable {
    /// The events found, in the order of the search.
    public var events: [EventRecord]
    /// The number of the last event that was examined or passed over.
    ///
    /// Nothing between it and the beginning of the search is missing from ``events``. At the end of the log, or at its
    /// beginning if the search goes back, it is the number of the last event, or the one before the first.
    public var reached: Int64
    /// The number of events that were read.
    public var examined: Int
    /// The range of events in the log.
    public var bounds: JournalBounds
    /// Whether the events' trips and stops may have display names.
    public var mayHaveNames = false

    /// Creates a step.
    public init(events: [EventRecord], reached: Int64, examined: Int, bounds: JournalBounds) {
        self.events = events
        self.reached = reached
        self.examined = examined
        self.bounds = bounds
    }
}

/// The range of events that a log holds.
public struct JournalBounds: Hashable, Sendable {
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
