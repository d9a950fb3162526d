package import RPC

/// Which events a subscriber asks for; a filter without conditions takes every kept event.
package struct EventFilter: Sendable, Hashable {
    /// Patterns of types, with an asterisk for any run of characters; none takes every kept event.
    var types: [String] = []
    /// Devices by name; none takes all, and events of no device.
    var devices: Set<String> = []
    /// Subjects as `KIND/ID`; none takes all.
    var subjects: Set<String> = []
    /// Kinds of subjects; none takes all.
    var kinds: Set<String> = []
    /// Where it happened; none takes all, and events that are nowhere.
    var bounds: Bounds?
    /// Whom it is addressed to; none takes all.
    var recipient: String?

    /// A box on the globe in degrees, its edges included; where west > east it crosses the 180th meridian.
    struct Bounds: Sendable, Hashable {
        var west: Double
        var south: Double
        var east: Double
        var north: Double

        /// Whether a position lies inside or on the edge; 180° and −180° are the same meridian.
        func contains(latitude: Double, longitude: Double) -> Bool {
            guard (south...north).contains(latitude) else { return false }
            return holds(longitude) || abs(longitude) == 180 && holds(-longitude)
        }

        private func holds(_ longitude: Double) -> Bool {
            west <= east
                ? west <= longitude && longitude <= east : west <= longitude || longitude <= east
        }
    }

    /// Whether the event is asked for.
    ///
    /// An event that is not kept must be named by its very type or by `*` alone, as there are many of them.
    func matches(_ entry: JournalEntry) -> Bool {
        matches(type: entry.type, isKept: entry.seq != nil)
            && (devices.isEmpty || entry.device.map(devices.contains) ?? false)
            && (subjects.isEmpty || entry.subject.map(subjects.contains) ?? false)
            && (kinds.isEmpty || entry.subject.map { kinds.contains(Self.kind(of: $0)) } ?? false)
            && (recipient == nil || entry.recipient == recipient)
            && matchesPlace(of: entry)
    }

    private func matches(type: String, isKept: Bool) -> Bool {
        guard isKept else { return types.contains(type) || types.contains("*") }
        guard !types.isEmpty else { return true }
        let type = Array(type.utf8)[...]
        return types.contains { $0 == "*" || Self.matches(type, Array($0.utf8)[...]) }
    }

    private func matchesPlace(of entry: JournalEntry) -> Bool {
        guard let bounds else { return true }
        guard let (latitude, longitude) = entry.degrees else { return false }
        return bounds.contains(latitude: latitude, longitude: longitude)
    }

    private static func kind(of subject: String) -> String {
        String(subject.prefix { $0 != "/" })
    }

    /// Whether a text fits a pattern in which `*` stands for any run of bytes.
    ///
    /// Only the last `*` met is ever tried again, so this takes O(text × pattern) at worst.
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
    /// The most entries in one list of a filter; more is hardly a filter, and each connection may hold 16.
    private static let maximumEntries = 256

    /// The most patterns of types.
    ///
    /// Each is tried on each event, by the task that commits it; there are fewer types.
    private static let maximumPatterns = 24

    /// The parameters that make a filter.
    ///
    /// `kinds` are the kinds of subjects there are; with none given, any text will do.
    static func parameter(kinds: [String]) -> Parameter<EventFilter> {
        func list(_ element: Schema) -> Schema { .array(of: element, count: 0...maximumEntries) }
        let name = Schema.string(length: 1...256)
        let types = Parameter<[String]>.optional(
            "types", .array(of: .string(length: 1...64), count: 0...maximumPatterns), default: [],
            "Types of events, with * for any characters. None means all that are kept; position must be named, "
                + "or come by a single *.")
        let devices = Parameter<[String]>.optional(
            "devices", list(name), default: [], "Devices by name. None means all.")
        let subjects = Parameter<[String]>.optional(
            "geofences", list(name), default: [], "Geofences as KIND/ID. None means all.")
        let kinds = Parameter<[String]>.optional(
            "kinds", list(kinds.isEmpty ? name : .choice(kinds)), default: [], "Kinds of geofences. None means all.")
        let box = Parameter<[Double]?>.optional(
            "bbox", .array(of: .number(in: -180...180), count: 4...4),
            "West, south, east, north in degrees; west > east crosses the 180th meridian."
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
    /// The filter of a caller's parameters, which are checked here.
    package init(_ members: JSONObject) throws(Refusal) {
        let parameter = Self.parameter(kinds: [])
        if let fault = Schema.object(parameter.fields).fault(in: .object(members)) {
            throw .invalid(fault.path.joined(separator: "."), fault.reason)
        }
        self = try parameter.value(in: members)
    }
}

extension EventFilter.Bounds {
    /// The box that a call gives as west, south, east, north.
    fileprivate init(_ box: [Double]) throws(Refusal) {
        guard box.count == 4, box[1] <= box[3], box[1] >= -90, box[3] <= 90 else {
            throw Refusal.invalid("bbox", "must be west, south, east, north, with south and north from -90 to 90")
        }
        self.init(west: box[0], south: box[1], east: box[2], north: box[3])
    }
}
