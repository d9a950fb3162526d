internal import RPC

/// A family of tracking apps that speak one protocol.
public enum PhoneClient: String, CaseIterable, Sendable, Codable {
    /// OwnTracks for iOS and Android in HTTP mode.
    case owntracks
    /// The protocol of OsmAnd by query or form, which Traccar Client before version 9 speaks, too.
    case osmand
    /// The JSON of Traccar Client 9 and later.
    case traccar
    /// The custom URL of GPSLogger.
    case gpslogger
    /// Overland for iOS, and apps that send its batches.
    case overland

    /// Finds the app by the members of its JSON: `_type`, `locations` or `device_id`, or a `location` with `coords`.
    ///
    /// The members of the first object decide for an array. Returns `nil` if nothing is recognised.
    init?(json: JSONValue) {
        if case .array(let elements) = json {
            guard let first = elements.first, case .object = first else { return nil }
            self.init(json: first)
        } else if json["_type"] != nil {
            self = .owntracks
        } else if json["locations"] != nil {
            self = .overland
        } else if json["device_id"] != nil || json["location"]?["coords"] != nil {
            self = .traccar
        } else {
            return nil
        }
    }
}

/// What a request is answered with, status 200, once its fixes are on the disk.
///
/// OwnTracks takes an array or an object of messages, Overland sends a batch again until it gets `{"result":"ok"}`, and
/// the others look at the status alone.
public enum PhoneAnswer: Sendable, Equatable {
    /// A JSON array, which may have the messages of an ``OwnTracksAnswer``.
    case array
    /// The object `{"result":"ok"}`.
    case overland
    /// No byte.
    case empty

    /// The body, with an empty array for OwnTracks.
    public var body: [UInt8] {
        switch self {
        case .array: Array("[]".utf8)
        case .overland: Array(#"{"result":"ok"}"#.utf8)
        case .empty: []
        }
    }

    /// The value of the header `Content-Type`; `nil` if there is no body.
    public var contentType: String? { self == .empty ? nil : "application/json" }
}

/// Why something in a request is no fix, although the request succeeds.
///
/// The raw value is the name in counts.
public enum IgnoredReason: String, CaseIterable, Error, Sendable, Codable {
    // The types of OwnTracks' messages that are no fixes.
    case beacon
    case card
    case cmd
    case dump
    case encrypted
    case lwt
    case request
    case status
    case steps
    case waypoint
    case waypoints
    /// A message of OwnTracks with a type that is not known.
    case unknownType = "unknown-type"
    /// JSON in which no app is recognised, or a message of OwnTracks whose type is not a text.
    case noType = "no-type"
    /// A ping of OwnTracks without an accuracy: it repeats an old place at a new time.
    case ping
    /// A feature of Overland about an event of the app, with the last known place at the time of the event.
    case action
    /// A feature of Overland about a trip.
    case trip
    /// A feature of Overland about a visit.
    case visit
    /// A request without body and parameters.
    case empty
    /// Neither JSON nor a form, or an element of another kind than the protocol says.
    case unreadable
    /// A place whose time is missing, not a time, or before 1970.
    case noTime = "no-time"
    /// No place, 0° N 0° E exactly, or a place that the app calls invalid.
    case noPosition = "no-position"
    /// A latitude or longitude that is not a number.
    case notANumber = "not-a-number"
    /// A latitude beyond ±90° or a longitude beyond ±180°.
    case outOfRange = "out-of-range"
}
