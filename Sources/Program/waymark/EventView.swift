import Geodesy
import RPC
import Time
import Tracking

/// The parts of an event that a line shows.
struct EventView {
    /// The time; `nil` if it cannot be read.
    let time: Timestamp?
    let device: String
    let kind: Kind

    enum Kind {
        case position(Coordinate, Speed?)
        case enter(title: String, distance: Distance?, initial: Bool)
        case exit(title: String, inside: Double, removed: Bool)
        case dwell(title: String, inside: Double)
        case cross(title: String, distance: Distance?)
        case speeding(title: String?, speed: Speed?, limit: Speed, fastest: Speed?)
        case approach(title: String, eta: Double, side: String)
        case tripStart(id: String)
        case tripEnd(TripSummary)
        /// A person has changed the trip; `into` is the trip that replaces it, if it no longer exists.
        case tripRevised(TripSummary, change: String, into: String?)
        case stopStart(Coordinate)
        case stopEnd(StopSummary)
        case receiver(isOnline: Bool, reason: String?)
        /// A notification for a person; its text may contain emphasis.
        case notification(MarkedText)
        /// The daemon's findings have changed; without any, all is well.
        case health([String])
        /// An event of an unknown type.
        case other(type: String)
    }

    init(_ event: JSONValue) {
        let device = event.text("device") ?? ""
        time = event.time("time")
        self.device = device
        kind = Self.kind(event, device) ?? .other(type: event.text("type") ?? "")
    }

    /// Returns the kind of an event in JSON; `nil` if the type is unknown or a member is missing.
    private static func kind(_ event: JSONValue, _ device: String) -> Kind? {
        let title = event["geofence"]?.text("title")
        let distance = event["geofence"]?.number("distance").map(Distance.meters)
        let inside = event.number("inside")
        switch event.text("type") {
        case "position":
            return event.place.map { .position($0, event["fix"]?.number("speed").map(Speed.metersPerSecond)) }
        case "geofence.enter":
            guard let title else { return nil }
            return .enter(title: title, distance: distance, initial: event.flag("initial") ?? false)
        case "geofence.exit":
            guard let title, let inside else { return nil }
            return .exit(title: title, inside: inside, removed: event.text("reason") == "removed")
        case "geofence.dwell":
            guard let title, let inside else { return nil }
            return .dwell(title: title, inside: inside)
        case "geofence.cross":
            guard let title else { return nil }
            return .cross(title: title, distance: distance)
        case "geofence.speed":
            return event.number("limit").map { limit in
                .speeding(
                    title: title, speed: event.number("speed").map(Speed.metersPerSecond),
                    limit: .metersPerSecond(limit), fastest: event.number("max_speed").map(Speed.metersPerSecond))
            }
        case "geofence.approach":
            guard let title, let eta = event.number("eta"), let side = event.text("side") else { return nil }
            return .approach(title: title, eta: eta, side: side)
        case "trip.start": return event["trip"]?.text("id").map { .tripStart(id: $0) }
        case "trip.end": return event["trip"].flatMap { TripSummary($0, device: device) }.map { .tripEnd($0) }
        case "trip.revised":
            guard let trip = event["trip"].flatMap({ TripSummary($0, device: device) }),
                let change = event.text("change")
            else { return nil }
            return .tripRevised(trip, change: change, into: event.text("into"))
        case "stop.start": return event.place.map { .stopStart($0) }
        case "stop.end": return event["stop"].flatMap { StopSummary($0, device: device) }.map { .stopEnd($0) }
        case "notification": return event["notification"]?.text("text").map { .notification(MarkedText($0)) }
        case "source.online": return .receiver(isOnline: true, reason: nil)
        case "source.offline": return .receiver(isOnline: false, reason: event.text("reason"))
        case "health.changed": return .health(event.elements("findings").compactMap { $0.text("text") })
        default: return nil
        }
    }
}
