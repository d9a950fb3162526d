public import Geodesy
import Positioning
import Shapes
public import TextCoding
import Time

extension Event {
    /// Writes the members of the event in the order of the protocol, without the braces and without `seq`.
    public func writeMembers(to json: inout JSONWriter) {
        json.member("type", type)
        json.member("time", time.description)
        json.member("decided", decided?.description)
        json.member("device", device)
        json.place(place)
        switch kind {
        case .position(let fix):
            json.object("fix") { json in
                json.member("alt", fix.altitude?.meters, decimals: 1)
                json.member("speed", fix.speed?.metersPerSecond, decimals: 2)
                json.member("track", fix.track?.degrees, decimals: 1)
                json.member("accuracy", fix.accuracy?.meters, decimals: 1)
                json.member("mode", fix.mode?.rawValue)
            }
        case .enter(let sighting, let initial):
            json.geofence(sighting)
            if initial { json.member("initial", true) }
        case .exit(let sighting, let inside, let removed):
            json.geofence(sighting)
            json.member("inside", inside, decimals: 3)
            if removed { json.member("reason", sighting.isClosed ? "closed" : "removed") }
            if sighting.geofence.isAlarm, !removed {
                json.member("alarm", true)
                json.member("again", sighting.again > 0 ? sighting.again : nil)
            }
        case .dwell(let sighting, let inside):
            json.geofence(sighting)
            json.member("inside", inside, decimals: 3)
        case .cross(let sighting):
            json.geofence(sighting)
        case .approach(let sighting, let approach):
            json.geofence(sighting)
            json.member("eta", approach.eta, decimals: 1)
            json.member("bearing", approach.bearing.degrees, decimals: 1)
            json.member("side", approach.side.rawValue)
            json.member("tier", approach.tier)
        case .speed(let sighting, let speeding):
            if let sighting { json.geofence(sighting) }
            json.member("limit", speeding.limit.metersPerSecond, decimals: 2)
            json.member("speed", speeding.speed?.metersPerSecond, decimals: 2)
            if let end = speeding.end {
                json.member("max_speed", end.fastest.metersPerSecond, decimals: 2)
                json.member("over", end.over.meters, decimals: 1)
                json.member("seconds", end.seconds, decimals: 3)
            }
        case .tripStart(let trip), .tripEnd(let trip):
            json.object("trip") { trip.writeMembers(to: &$0) }
        case .stopStart(let stop), .stopEnd(let stop):
            json.object("stop") { stop.writeMembers(to: &$0) }
        }
    }

    /// Returns the event as one JSON object, which begins with the number in the log if there is one.
    public func json(seq: Int64? = nil) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.member("seq", seq)
            writeMembers(to: &$0)
        }
        return json.bytes
    }
}

extension TripSummary {
    /// Writes the members of the trip; only the id and the start if it has not ended.
    public func writeMembers(to json: inout JSONWriter) {
        json.member("id", id)
        json.member("start", start.description)
        guard let end else { return }
        json.member("end", end.description)
        json.member("distance", distance.meters, decimals: 1)
        json.member("moving", moving, decimals: 3)
        json.member("stopped", stopped, decimals: 3)
        json.member("max_speed", maximumSpeed?.metersPerSecond, decimals: 2)
        json.member("stops", stops)
        json.member("fixes", fixes)
    }
}

extension StopSummary {
    /// Writes the members of the stop; `end` is missing if it has not ended.
    public func writeMembers(to json: inout JSONWriter) {
        json.member("id", id)
        json.member("start", start.description)
        json.member("end", end?.description)
        json.place(place)
    }
}

extension JSONWriter {
    /// Writes a place as `lat` and `lon`.
    public mutating func place(_ place: Coordinate) {
        member("lat", place.latitude, decimals: 7)
        member("lon", place.longitude, decimals: 7)
    }

    fileprivate mutating func geofence(_ sighting: Event.GeofenceSighting) {
        let geofence = sighting.geofence
        object("geofence") { json in
            json.member("kind", geofence.identity.kind.rawValue)
            json.member("id", geofence.identity.id)
            json.member("title", geofence.title)
            if geofence.kind == .circle {
                json.member("distance", sighting.distance.meters, decimals: 1)
            } else {
                json.member("edge", sighting.edge?.meters, decimals: 1)
            }
            json.member("radius", geofence.radius.meters, decimals: 1)
        }
    }
}
