public import Geodesy
public import Positioning
internal import TextCoding
public import Time

/// The messages for OwnTracks in the answer to its request: where friends are, and which regions to watch.
///
/// OwnTracks for iOS checks an answer against a schema and ignores all of it if one value does not fit. So distances,
/// speeds and times are whole numbers here, though the other values may have fractions.
///
/// - SeeAlso: <https://owntracks.org/booklet/tech/json/>
public struct OwnTracksAnswer: Sendable, Equatable {
    /// A person whose place is shown on the phone.
    public struct Friend: Sendable, Equatable {
        /// A short text that is shown on the map, such as initials.
        ///
        /// OwnTracks for iOS tells friends apart by it alone, so it must differ for each and stay the same.
        public var tracker: String
        /// The name.
        public var name: String
        /// The last fix; without a time the friend is left out.
        public var fix: Fix
        /// The charge of the battery in percent.
        public var battery: Double?

        /// Creates a friend.
        public init(tracker: String, name: String, fix: Fix, battery: Double? = nil) {
            self.tracker = tracker
            self.name = name
            self.fix = fix
            self.battery = battery
        }
    }

    /// A circle that the phone watches itself.
    public struct Region: Sendable, Hashable {
        /// The identifier, by which OwnTracks for iOS finds a region that it has.
        public var id: String
        /// The time of its creation, by which OwnTracks for Android finds it: a whole second that no other region has.
        public var created: Timestamp
        /// The name.
        public var name: String
        /// The centre.
        public var center: Coordinate
        /// The radius.
        public var radius: Distance

        /// Creates a region.
        public init(id: String, created: Timestamp, name: String, center: Coordinate, radius: Distance) {
            self.id = id
            self.created = created
            self.name = name
            self.center = center
            self.radius = radius
        }
    }

    /// The most friends in an answer.
    public static let maximumFriends = 50

    /// The friends, of whom the first ``maximumFriends`` are sent.
    public var friends: [Friend] = []
    /// The regions to watch; a phone takes them only if its owner allows remote configuration.
    public var regions: [Region] = []
    /// Regions to forget: they get a place that does not exist, after which iOS deletes them.
    ///
    /// Android has no such message, and would keep them.
    public var removedRegions: [Region] = []

    /// Creates an answer without messages.
    public init() {}

    /// The JSON array.
    public var body: [UInt8] {
        var json = JSONWriter()
        json.array { json in
            for friend in friends.prefix(Self.maximumFriends) { Self.write(friend, to: &json) }
            if !regions.isEmpty || !removedRegions.isEmpty { writeRegions(to: &json) }
        }
        return json.bytes
    }

    private static func write(_ friend: Friend, to json: inout JSONWriter) {
        guard let time = friend.fix.time else { return }
        json.object { json in
            json.member("_type", "card")
            json.member("tid", friend.tracker)
            json.member("name", friend.name)
        }
        json.object { json in
            json.member("_type", "location")
            json.member("tid", friend.tracker)
            json.member("lat", friend.fix.coordinate.latitude, decimals: 7)
            json.member("lon", friend.fix.coordinate.longitude, decimals: 7)
            json.member("tst", seconds(time))
            json.member("acc", friend.fix.accuracy?.meters, decimals: 0)
            json.member("alt", friend.fix.altitude?.meters, decimals: 0)
            json.member("vel", friend.fix.speed.map { $0.metersPerSecond * 3.6 }, decimals: 0)
            json.member("cog", friend.fix.track?.degrees, decimals: 0)
            json.member("batt", friend.battery, decimals: 0)
        }
    }

    private func writeRegions(to json: inout JSONWriter) {
        json.object { json in
            json.member("_type", "cmd")
            json.member("action", "setWaypoints")
            json.object("waypoints") { json in
                json.member("_type", "waypoints")
                json.array("waypoints") { json in
                    for region in removedRegions { Self.write(region, isRemoved: true, to: &json) }
                    for region in regions { Self.write(region, isRemoved: false, to: &json) }
                }
            }
        }
    }

    private static func write(_ region: Region, isRemoved: Bool, to json: inout JSONWriter) {
        json.object { json in
            json.member("_type", "waypoint")
            // A colon would separate the name from the identifier of a beacon.
            json.member("desc", region.name.replacing(":", with: " "))
            json.member("lat", isRemoved ? unreal : region.center.latitude, decimals: 7)
            json.member("lon", isRemoved ? unreal : region.center.longitude, decimals: 7)
            json.member("rad", max(1, region.radius.meters), decimals: 0)
            json.member("tst", seconds(region.created))
            json.member("rid", region.id)
        }
    }

    /// A latitude and longitude of no place.
    private static let unreal = 1000.0

    private static func seconds(_ time: Timestamp) -> Int64 { time.milliseconds / 1000 }
}

/// Which regions a phone watches, and when it is to be told of others.
///
/// An iPhone watches 20 regions, some of which its owner has made. So it gets the nearest ones, and others when it has
/// moved or they have changed.
public struct RegionSelection: Sendable, Equatable {
    /// The most regions of ours that a phone watches.
    public static let maximumRegions = 15
    /// How far a phone moves before its nearest regions are looked for again.
    public static let step = Distance.kilometers(5)

    /// The regions that the phone was told of last, the nearest first.
    public private(set) var regions: [OwnTracksAnswer.Region] = []
    private var center: Coordinate?
    private var revision: Int64?

    /// Creates the selection of a phone that was told of no regions.
    public init() {}

    /// Whether the regions have to be looked for again at a place.
    ///
    /// - Parameter revision: a number that changes with each change of any region.
    public func isDue(at place: Coordinate, revision: Int64) -> Bool {
        guard let center, self.revision == revision else { return true }
        return Sphere.distance(from: center, to: place) >= Self.step
    }

    /// Selects the nearest regions, and adds to an answer what has changed.
    ///
    /// An answer may get lost, so call it on a copy, and keep the copy once the answer was sent.
    ///
    /// - Complexity: O(*n* log *n*) for *n* candidates.
    public mutating func select(
        from candidates: [OwnTracksAnswer.Region], at place: Coordinate, revision: Int64,
        into answer: inout OwnTracksAnswer
    ) {
        let distances = candidates.map { (Sphere.distance(from: place, to: $0.center), $0) }
        let nearest = distances.sorted { ($0.0, $0.1.id) < ($1.0, $1.1.id) }
            .prefix(Self.maximumRegions).map { $0.1 }
        let known = Set(regions)
        let ids = Set(nearest.map(\.id))
        answer.regions += nearest.filter { !known.contains($0) }
        answer.removedRegions += regions.filter { !ids.contains($0.id) }
        regions = nearest
        center = place
        self.revision = revision
    }
}
