package import RPC
import Time
import Tracking

/// The conditions of a subscriber on events.
///
/// A filter without conditions accepts every stored event.
package struct EventFilter: Sendable, Hashable {
    /// Patterns of event types, in which `*` matches any sequence of characters.
    ///
    /// An empty array accepts every stored event.
    var types: [String] = []
    /// Names of devices.
    ///
    /// An empty set accepts all devices, and events without a device.
    var devices: Set<String> = []
    /// Subjects as `KIND/ID`.
    ///
    /// An empty set accepts all.
    var subjects: Set<String> = []
    /// Kinds of subjects.
    ///
    /// An empty set accepts all.
    var kinds: Set<String> = []
    /// The area of the event.
    ///
    /// `nil` accepts all places, and events without a place.
    var bounds: Bounds?
    /// The recipient of the event.
    ///
    /// `nil` accepts all.
    var recipient: String?

    /// A box on the globe in degrees that includes its edges.
    ///
    /// If `west` > `east`, it crosses the 180th meridian.
    struct Bounds: Sendable, Hashable {
        var west: Double
        var south: Double
        var east: Double
        var north: Double

        /// Returns whether a position lies inside the box or on its edge.
        ///
        /// 180° and −180° are the same meridian.
        func contains(latitude: Double, longitude: Double) -> Bool {
            guard (south...north).contains(latitude) else { return false }
            return holds(longitude) || abs(longitude) == 180 && holds(-longitude)
        }

        private func holds(_ longitude: Double) -> Bool {
            west <= east
                ? west <= longitude && longitude <= east : west <= longitude || longitude <= east
        }
    }

    /// Returns whether the filter accepts an event.
    ///
    /// A transient event, which is not stored, matches only its exact type or `*`, because such events are frequent.
    func matches(_ entry: EventRecord) -> Bool {
        matches(type: entry.type, isKept: entry.seq != nil)
            && (devices.isEmpty || entry.device.map(devices.contains) ?? false)
            && (subjects.isEmpty || entry.subject.map(subjects.contains) ?? false)
            && (kinds.isEmpty || entry.subject.map { kinds.contains(Self.kind(of: $0)) } ?? false)
            && (recipient == nil || entry.recipient == recipient)
            && matchesPlace(of: entry)
    }

    /// The conditions that the log can search for; ``matches(_:)`` has the others, too.
    func query(from: Timestamp? = nil, until: Timestamp? = nil) -> EventQuery {
        var query = EventQuery()
        // A single * accepts every stored event.
        query.types = types.contains("*") ? [] : types
        query.devices = devices.sorted()
        query.subjects = subjects.sorted()
        query.kinds = kinds.sorted()
        query.recipient = recipient
        (query.from, query.until) = (from, until)
        return query
    }

    private func matches(type: String, isKept: Bool) -> Bool {
        guard isKept else { return types.contains(type) || types.contains("*") }
        guard !types.isEmpty else { return true }
        let type = Array(type.utf8)[...]
        return types.contains { $0 == "*" || Self.matches(type, Array($0.utf8)[...]) }
    }

    private func matchesPlace(of entry: EventRecord) -> Bool {
        guard let bounds else { return true }
        guard let (latitude, longitude) = entry.degrees else { return false }
        return bounds.contains(latitude: latitude, longitude: longitude)
    }

    private static func kind(of subject: String) -> String {
        String(subject.prefix { $0 != "/" })
    }

    /// Returns whether a text matches a pattern in which `*` stands for any sequence of bytes.
    ///
    /// - Complexity: O(text × pattern) at worst, because only the last `*` is ever retried.
    static func matches(_ text: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
        var position = text.startIndex
        var index = pattern.startIndex
        var retry: (position: Int, index: Int)?
        while position < text.endIndex {
            if index < pattern.endIndex, pattern[index] == UInt8(ascii: "*") {
                index += 1
                retry = (position, index)
            } else if index < pattern.endIndex, pattern[index] == text[position] {
                position += 1
                index += 1
            } else if let last = retry {
                position = last.position + 1
                index = last.index
                retry = (position, index)
            } else {
                return false
            }
        }
        return pattern[index...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}

extension EventFilter {
    /// Creates a filter that accepts events by patterns of their types.
    package init(ofTypes types: [String]) { self.types = types }

    /// The maximum number of entries in one list of a filter.
    ///
    /// A longer list is hardly a filter, and each connection may have 16 subscriptions.
    private static let maximumEntries = 256

    /// The maximum number of type patterns.
    ///
    /// The task that commits an event tries each pattern on it. There are fewer types than this.
    private static let maximumPatterns = 24

    /// Returns the parameters that make up a filter.
    ///
    /// - Parameter kinds: The kinds of subjects that a filter may name. If it is empty, any text is accepted.
    static func parameter(kinds: [String]) -> Parameter<EventFilter> {
        func list(_ element: Schema) -> Schema { .array(of: element, count: 0...maximumEntries) }
        let name = Schema.string(length: 1...256)
        let types = Parameter<[String]>.optional(
            "types", .array(of: .string(length: 1...64), count: 0...maximumPatterns), default: [],
            "The types of events, where * stands for any characters. If empty, all stored events; position must be "
                + "named explicitly, or matched by a single *.")
        let devices = Parameter<[String]>.optional(
            "devices", list(name), default: [], "The names of devices; if empty, all.")
        let subjects = Parameter<[String]>.optional(
            "geofences", list(name), default: [], "The geofences, as KIND/ID; if empty, all.")
        let kinds = Parameter<[String]>.optional(
            "kinds", list(kinds.isEmpty ? name : .choice(kinds)), default: [], "The kinds of geofences; if empty, all.")
        let box = Parameter<[Double]?>.optional(
            "bbox", .array(of: .number(in: -180...180), count: 4...4),
            "The window as west, south, east, north in degrees; west > east crosses the 180th meridian."
        ).map { box throws(Refusal) in try box.map { box throws(Refusal) in try Bounds(box) } }
        let recipient = Parameter<String?>.optional("to", name, "The person the event is addressed to.")
        return Parameter(
            types.fields + devices.fields + subjects.fields + kinds.fields + box.fields + recipient.fields
        ) { members throws(Refusal) in
            let filter = EventFilter(
                types: try types.value(in: members), devices: Set(try devices.value(in: members)),
                subjects: Set(try subjects.value(in: members)), kinds: Set(try kinds.value(in: members)),
                bounds: try box.value(in: members), recipient: try recipient.value(in: members))
            if let subject = filter.subjects.first(where: { !$0.contains("/") }) {
                throw Refusal.invalid("geofences", "must be KIND/ID, not \(subject)")
            }
            return filter
        }
    }
}

extension EventFilter {
    /// Creates a filter from a caller's parameters.
    ///
    /// - Throws: `Refusal` naming the parameter that is unknown or invalid.
    package init(_ members: JSONObject) throws(Refusal) {
        let parameter = Self.parameter(kinds: [])
        if let fault = Schema.object(parameter.fields).fault(in: .object(members)) {
            throw .invalid(fault.path.joined(separator: "."), fault.reason)
        }
        self = try parameter.value(in: members)
    }
}

extension EventFilter.Bounds {
    /// Creates a box from a parameter's four numbers: west, south, east, north.
    fileprivate init(_ box: [Double]) throws(Refusal) {
        guard box.count == 4, box[1] <= box[3], box[1] >= -90, box[3] <= 90 else {
            throw Refusal.invalid("bbox", "must be west, south, east, north, with south and north from -90 to 90")
        }
        self.init(west: box[0], south: box[1], east: box[2], north: box[3])
    }
}
