#if Fleet
import Foundation
import Geodesy
import Phones
import Positioning
import TextCoding
import Time
import Tracking

/// A phone of the demonstration, which rides around Amsterdam and then stands, and reports as Overland does.
struct SimulatedPhone: Sendable {
    /// The name of its device.
    let device: String
    /// The secret with which it reports.
    let secret: PhoneSecret
    private let number: Int
    private let start: Timestamp

    /// The fixes of a report, and the reports of a phone.
    static let (fixesPerReport, reports) = (10, 6)
    /// The fixes of a ride, after which the phone stands.
    private static let ride = 40
    private static let center = (latitude: 52.3731, longitude: 4.8922)
    /// The radius of the way that phones ride around, in degrees of latitude.
    private static let radius = 0.011

    /// Creates the phone with a number from 0.
    ///
    /// - Parameter start: The time of its first fix.
    init(number: Int, start: Timestamp, using generator: inout some RandomNumberGenerator) {
        self.number = number
        self.start = start
        device = "phone \(number + 1)"
        secret = PhoneSecret(using: &generator)
    }

    /// The body of a report.
    ///
    /// - Parameter round: Which of its reports, from 0.
    func report(_ round: Int) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.array("locations") { json in
                for fix in 0..<Self.fixesPerReport { write(fix: round * Self.fixesPerReport + fix, to: &json) }
            }
        }
        return json.bytes
    }

    private func write(fix: Int, to json: inout JSONWriter) {
        // A fix each 10 s while it rides, and each minute while it stands.
        let seconds = min(fix, Self.ride) * 10 + max(0, fix - Self.ride) * 60
        let speed = fix < Self.ride ? 6 + Double(number % 9) : 0
        let way = (6 + Double(number % 9)) * Double(min(fix, Self.ride) * 10)
        // Phones begin all around the way; the golden angle spreads them.
        let angle = Double(number) * 2.399963 + way / (Self.radius * 111_195)
        let radius = Self.radius * (1 + 0.05 * sin(Double(number)))
        // Each place is some metres wrong, as that of a receiver is.
        let wrong = (sin(Double(number * 31 + fix * 17)) * 3e-5, cos(Double(number * 13 + fix * 29)) * 3e-5)
        let latitude = Self.center.latitude + radius * cos(angle) + wrong.0
        let longitude =
            Self.center.longitude + radius * sin(angle) / cos(Self.center.latitude * .pi / 180) + wrong.1
        json.object { json in
            json.member("type", "Feature")
            json.object("geometry") { json in
                json.member("type", "Point")
                json.array("coordinates") { json in
                    json.number(longitude, decimals: 7)
                    json.number(latitude, decimals: 7)
                }
            }
            json.object("properties") { json in
                json.member("timestamp", start.advanced(byMilliseconds: Int64(seconds) * 1000).description)
                json.member("speed", speed, decimals: 1)
                json.member("horizontal_accuracy", 8)
            }
        }
    }

    /// The sights around the way, each 120 m in radius.
    static func sights() -> [Geofence] {
        (0..<20).compactMap { number in
            let angle = Double(number) * .pi / 10
            return Coordinate(
                latitude: center.latitude + radius * cos(angle),
                longitude: center.longitude + radius * sin(angle) / cos(center.latitude * .pi / 180)
            ).map {
                Geofence(
                    identity: Geofence.Identity(kind: .sight, id: "sight-\(number + 1)"), title: "Sight \(number + 1)",
                    center: $0, radius: .meters(120))
            }
        }
    }

    /// What one replay of its reports gives: events, and the times of the points of its trips.
    ///
    /// The reports are read as a door reads them.
    func replay(in index: GeofenceIndex, policy: TrackingPolicy) -> Replayed {
        var tracker = Tracker(device: device, policy: policy)
        var output = Tracker.Output()
        for round in 0..<Self.reports {
            let request = PhoneRequest(head: PhoneRequest.Head(), body: report(round))
            for fix in PhoneReport(reading: request).fixes { tracker.ingest(fix.fix, in: index, into: &output) }
        }
        var replayed = Replayed(last: tracker.position?.time)
        replayed.events = output.events.filter(\.isDurable).map { String(decoding: $0.json(), as: UTF8.self) }
        var open: String?
        for change in output.changes {
            switch change {
            case .tripBegan(let trip):
                open = trip.id
                replayed.points[trip.id] = []
            case .point(let fix, _):
                if let open, let time = fix.time { replayed.points[open, default: []].append(time) }
            case .truncated(let after): if let open { replayed.points[open]?.removeAll { $0 > after } }
            case .tripEnded: open = nil
            case .tripsJoined, .stopBegan, .stopEnded: break
            }
        }
        return replayed
    }

    /// What one replay gives.
    struct Replayed: Sendable {
        /// The time of the last fix that was accepted.
        let last: Timestamp?
        /// The events of the log, as JSON.
        var events: [String] = []
        /// The times of the points of each trip.
        var points: [String: [Timestamp]] = [:]
    }
}
#endif
