public import Geodesy
public import Shapes
public import Time

/// A circle, polygon or corridor that the engine watches for devices that enter or leave it.
public struct Geofence: Hashable, Sendable, Codable {
    /// A geofence's unique name: its kind, and its id within the kind.
    public struct Identity: Hashable, Sendable, Codable {
        /// The kind of the place.
        public var kind: Kind
        /// The id, unique within the kind.
        public var id: String

        /// Creates an identity from a kind and an id.
        public init(kind: Kind, id: String) {
            self.kind = kind
            self.id = id
        }
    }

    /// The kind of a watched place.
    ///
    /// Each feature that watches places has its own kind.
    public struct Kind: RawRepresentable, Hashable, Sendable, Codable {
        /// The name on the wire.
        public let rawValue: String

        /// Creates a kind from its name, which must not contain a slash.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A point of interest.
        public static let sight = Kind(rawValue: "sight")
    }

    /// The unique name.
    public var identity: Identity
    /// The title for people.
    public var title: String
    /// The centre of the circle, and otherwise a place in the middle of the shape's box.
    public var center: Coordinate
    /// The radius of the circle, or half the width of the corridor; 0 for polygons.
    ///
    /// A device at most this far from the centre, or from the corridor's line, is inside.
    public var radius: Distance
    /// The time and devices for which the geofence is watched; `nil` for always and all devices.
    public var watch: Watch?
    /// The speed above which a device inside is reported; `nil` for none.
    public var speedLimit: Speed?
    /// Whether leaving the geofence is an alarm: it is reported at once, also of a device that seems to stand, and again each
    /// minute.
    public var isAlarm: Bool {
        get { alarm ?? false }
        set { alarm = newValue ? true : nil }
    }
    /// `nil` for no alarm.
    private var alarm: Bool?
    /// The polygons or the corridor; `nil` for a circle, and for a geofence that is known only by name.
    ///
    /// It is not encoded, because it may be large and the store has it.
    public var shape: Shape? { outline?.shape }
    /// The polygons or the corridor, as the index knows them.
    private(set) var outline: Outline?
    /// What the geofence is, unless it is a circle.
    private var outlineKind: Shape.Kind?

    private enum CodingKeys: String, CodingKey {
        case identity, title, center, radius, watch, speedLimit, alarm
        case outlineKind = "shape"
    }

    /// Whether the geofence is a circle, a polygon or a corridor.
    public var kind: Shape.Kind { outlineKind ?? .circle }
    /// The name of the kind of shape, unless it is a circle.
    public var form: String? { outlineKind?.rawValue }

    /// The time span and devices for which a geofence is watched, by the time of the devices' fixes.
    ///
    /// Before the span, the geofence does not exist for these devices. After it, the geofence counts as removed.
    public struct Watch: Hashable, Sendable, Codable {
        /// The first moment.
        public var since: Timestamp
        /// The last moment.
        public var until: Timestamp
        /// The names of the devices.
        public var devices: [String]
        /// The hours of the week; `nil` for all.
        public private(set) var hours: ActiveHours?
        /// Whether the watch is for all devices; `nil` for those in ``devices``.
        private var isForAll: Bool?

        /// Creates a watch for a time span and some devices.
        public init(since: Timestamp, until: Timestamp, devices: [String]) {
            self.since = since
            self.until = until
            self.devices = devices
        }

        /// Creates a watch for some hours of the week, for some devices, or for all if there are none.
        public init(hours: ActiveHours?, devices: [String]) {
            self.init(since: .earliest, until: .latest, devices: devices)
            self.hours = hours
            isForAll = devices.isEmpty ? true : nil
        }

        /// Whether a geofence is watched, and if not, why.
        enum State {
            case watched
            case otherDevices
            case notYet
            case closed
            case over
        }

        func state(at time: Timestamp, of device: String) -> State {
            guard isForAll ?? false || devices.contains(device) else { return .otherDevices }
            guard time >= since else { return .notYet }
            guard time <= until else { return .over }
            return hours?.state(at: time).isActive ?? true ? .watched : .closed
        }
    }

    /// Creates a geofence that is always watched, for all devices.
    public init(identity: Identity, title: String, center: Coordinate, radius: Distance) {
        self.identity = identity
        self.title = title
        self.center = center
        self.radius = radius
    }

    /// Creates a geofence of any shape that is always watched, for all devices.
    public init(identity: Identity, title: String, shape: Shape) {
        self.init(identity: identity, title: title, center: Coordinate(shape.center), radius: shape.radius)
        guard shape.kind != .circle else {
            center = shape.parts.first?.first?.first ?? center
            return
        }
        outline = Outline(shape)
        outlineKind = shape.kind
    }

    /// Creates a geofence from what an index knows of it.
    init(_ label: GeofenceLabels.Label, radius: Distance, kind: Shape.Kind, outline: Outline?, watch: Watch?) {
        self.init(identity: label.identity, title: label.title, center: label.center, radius: radius)
        self.outline = outline
        self.watch = watch
        outlineKind = kind == .circle ? nil : kind
    }
}
