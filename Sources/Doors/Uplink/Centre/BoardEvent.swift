import Geodesy
import RPC
import Service
import Store
import TextCoding
import Time
package import Tracking

/// An event of a board as the centre tells it: devices, trips, stops and geofences have the board's name before theirs.
///
/// Events about a device's trips, stops and geofences are told. What else a board's log holds concerns the board alone.
package struct BoardEvent {
    /// What an event changes in the lists of trips and stops.
    package enum Change {
        case tripBegan(TripSummary)
        case tripEnded(HandedTrip)
        /// Another trip shows the points of the trip with this id.
        case tripGone(String)
        case stop(StopSummary)
    }

    package let record: EventRecord
    /// The name of the device, with that of the board.
    package let device: String
    package let change: Change?
    /// The time at which the board decided the event.
    let decided: Timestamp

    /// The longest event that is told, in bytes.
    private static let longest = 65_536

    /// Reads an event as a board's log has stored it; `nil` if it is of no concern to the centre.
    package init?(_ bytes: [UInt8], of board: String) {
        guard bytes.count <= Self.longest, case .object(let source)? = try? JSONValue(parsing: bytes.span),
            case .string(let type)? = source["type"], let time = HandedTrip.time(.object(source), "time"),
            case .string(let name)? = source["device"], !name.isEmpty
        else { return nil }
        let device = "\(board)/\(name)"
        guard device.utf8.count <= Schema.longestDeviceName else { return nil }
        var subject: String?
        var change: Change?
        var members = Self.head(of: source, device: device)
        switch type {
        case "trip.start", "trip.end", EventRecord.tripRevised:
            guard let json = source["trip"], let trip = HandedTrip(json, device: name)?.named(by: board) else {
                return nil
            }
            change = Self.change(type, trip, into: source["into"])
            members["trip"] = Self.named(json, by: board)
            if case .string(let heir)? = source["into"] { members["into"] = .string("\(board)/\(heir)") }
            subject = "trip/\(trip.summary.id)"
        case "stop.start", "stop.end":
            guard let json = source["stop"], let stop = StopSummary(json, device: name, of: board) else { return nil }
            change = .stop(stop)
            members["stop"] = Self.named(json, by: board)
            subject = "stop/\(stop.id)"
        case "geofence.enter", "geofence.exit", "geofence.dwell", "geofence.cross", "geofence.approach",
            "geofence.speed":
            // The geofence is the board's. A subject here would be one of the centre's own.
            if let json = source["geofence"] { members["geofence"] = Self.named(json, by: board) }
        default: return nil
        }
        record = EventRecord(
            time: time, type: type, device: device, subject: subject, place: Coordinate(json: source),
            members: Array(JSONText(.object(members)).bytes.dropFirst().dropLast()))
        decided = HandedTrip.time(.object(source), "decided") ?? time
        self.device = device
        self.change = change
    }

    /// Returns the record as that of an event that came at a time.
    func record(at now: Timestamp) -> EventRecord {
        now.seconds(since: decided) > EventRecord.lateness ? record.told(late: now) : record
    }

    /// Returns the members of an event, the times before the device, without those that only a log adds.
    private static func head(of source: JSONObject, device: String) -> JSONObject {
        var members = JSONObject()
        for name in ["type", "time", "decided"] { members[name] = source[name] }
        members["device"] = .string(device)
        for name in source.names where !["seq", "received"].contains(name) && members[name] == nil {
            members[name] = source[name]
        }
        return members
    }

    /// Returns an object whose id has the board's name before it.
    private static func named(_ json: JSONValue, by board: String) -> JSONValue {
        guard case .object(var object) = json, case .string(let id)? = object["id"] else { return json }
        object["id"] = .string("\(board)/\(id)")
        return .object(object)
    }

    private static func change(_ type: String, _ trip: HandedTrip, into heir: JSONValue?) -> Change? {
        if type == "trip.start" { return .tripBegan(trip.summary) }
        if heir != nil { return .tripGone(trip.summary.id) }
        return trip.summary.end == nil ? nil : .tripEnded(trip)
    }
}

extension Coordinate {
    /// Reads the members `lat` and `lon`; `nil` if they are no place.
    fileprivate init?(json: JSONObject) {
        guard let latitude = json["lat"].flatMap({ Double(json: $0) }),
            let longitude = json["lon"].flatMap({ Double(json: $0) })
        else { return nil }
        self.init(latitude: latitude, longitude: longitude)
    }
}

extension StopSummary {
    /// Reads the member `stop` of an event of a board's device; `nil` if it is none.
    fileprivate init?(_ json: JSONValue, device: String, of board: String) {
        guard case .object(let members) = json, let id = HandedTrip.id(json, device: device),
            let start = HandedTrip.time(json, "start"), let place = Coordinate(json: members)
        else { return nil }
        self.init(device: "\(board)/\(device)", start: start, place: place)
        self.id = "\(board)/\(id)"
        guard members["end"] != nil else { return }
        guard let end = HandedTrip.time(json, "end"), end >= start else { return nil }
        self.end = end
    }
}
