import Geodesy
import Positioning
import RPC
import Time
import Tracking

/// Accessors for the members of an answer, which return `nil` if a member is missing or has another type.
extension JSONValue {
    func text(_ name: String) -> String? { self[name].flatMap(String.init(json:)) }
    func number(_ name: String) -> Double? { self[name].flatMap(Double.init(json:)) }
    func integer(_ name: String) -> Int? { self[name].flatMap(Int.init(json:)) }
    func flag(_ name: String) -> Bool? { self[name].flatMap(Bool.init(json:)) }
    func time(_ name: String) -> Timestamp? { text(name).flatMap(Timestamp.init(rfc3339:)) }

    /// Returns the elements of a list; an empty array if there is no list.
    func elements(_ name: String) -> [JSONValue] { self[name].flatMap([JSONValue].init(json:)) ?? [] }

    /// Returns the members of an object that are integers; the other members are left out.
    func tally(_ name: String) -> [(reason: String, count: Int)] {
        guard case .object(let members)? = self[name] else { return [] }
        return members.names.compactMap { reason in self[name]?.integer(reason).map { (reason, $0) } }
    }

    /// The coordinate at `lat` and `lon`; `nil` if there is no valid one.
    var place: Coordinate? {
        guard let latitude = number("lat"), let longitude = number("lon") else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    /// The value as JSON on one line.
    var line: [UInt8] { JSONText(self).bytes }
}

extension JSONObject {
    /// Creates an object from the members that are not `nil`.
    init(present members: KeyValuePairs<String, JSONValue?>) {
        self.init(members.compactMap { name, value in value.map { (name, $0) } })
    }
}

extension TripSummary {
    /// Reads the trip of an answer or event; `nil` if its id or start is missing.
    init?(_ json: JSONValue, device: String?) {
        guard let id = json.text("id"), let start = json.time("start") else { return nil }
        self.init(device: device ?? json.text("device") ?? "", start: start)
        self.id = id
        end = json.time("end")
        distance = .meters(json.number("distance") ?? 0)
        stopped = json.number("stopped") ?? 0
        // Time that is neither moving nor stopped belongs to gaps.
        if let moving = json.number("moving"), self.moving > moving { silent = self.moving - moving }
        maximumSpeed = json.number("max_speed").map(Speed.metersPerSecond)
        gaps = .meters(json.number("gaps") ?? 0)
        bridged = .meters(json.number("bridged") ?? 0)
        climb = json.number("climb").map(Distance.meters)
        descent = json.number("descent").map(Distance.meters)
        stops = json.integer("stops") ?? 0
        fixes = json.integer("fixes") ?? 0
        kind = json.text("kind").flatMap { TripKind(rawValue: $0) }
    }
}

extension StopSummary {
    /// Reads the stop of an answer or event; `nil` if its id, start or place is missing.
    init?(_ json: JSONValue, device: String?) {
        guard let id = json.text("id"), let start = json.time("start"), let place = json.place else { return nil }
        self.init(device: device ?? "", start: start, place: place)
        self.id = id
        end = json.time("end")
    }
}
