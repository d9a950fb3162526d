import Callers
import Configuration
import Foundation
import Geodesy
import Positioning
import RPC
import Receivers
import Store
import Synchronization
import TextCoding
import Time
import Tracking

@testable import Daemon
@testable import ImageMetadata
@testable import People
@testable import RPC
@testable import Service
@testable import Sights
@testable import Trips

extension FuzzTarget {
    /// A line of a client or a server, which must stay the same when it is written and read again.
    static let rpc = FuzzTarget(
        "rpc",
        seeds: [
            #"{"jsonrpc":"2.0","id":1,"method":"trips.list","params":{"after":"x","limit":10}}"#,
            #"[{"jsonrpc":"2.0","id":"a\u00e9\ud83d\ude00","method":"x","params":[1,-2.5e3,true,null]}]"#,
            #"{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"x","data":{}}}"#,
        ]
    ) { bytes in
        guard let value = try? JSONValue(parsing: bytes.span) else { return }
        let text = JSONText(value).bytes
        let again = try? JSONValue(parsing: text.span)
        demand(again != nil, "what was written is not read again")
        demand(!text.contains { $0 < 0x20 }, "a control character is written")
        _ = try? ServerMessage(parsing: bytes.span)
        for case let call in value.elements ?? [value] { _ = try? Request(call) }
    }

    /// The parameters of a call, checked against the declaration of each method.
    static let calls = FuzzTarget(
        "calls",
        seeds: [
            #"{"id":"a","limit":10,"lat":1,"lon":2.5,"radius":10,"points":[{"time":"2026-05-01T10:00:00Z","lat":1,"lon":2}]}"#,
            #"{"types":["*"],"bounds":[1,2,3,4],"after":9007199254740991,"format":"gpx","ids":["a"],"apply":true}"#,
        ]
    ) { bytes in
        guard case .object(let members)? = try? JSONValue(parsing: bytes.span) else { return }
        for method in methods {
            // Members that a method does not know would hide faults in the others.
            let known = JSONObject(
                members.names.compactMap { name in
                    members[name].flatMap { value in
                        method.parameters.contains { $0.name == name } ? (name, value) : nil
                    }
                })
            _ = Schema.memberFault(members, method.parameters)
            _ = Schema.memberFault(known, method.parameters)
        }
    }

    private static let methods: [Method<Principal>] = {
        guard let store = try? Stores.temporary() else { return [] }
        return Features(store: store, liveState: Absent()).methods
    }()

    /// The text of a configuration file.
    static let configuration = FuzzTarget(
        "configuration",
        seeds: [
            "store: /var/lib/a.sqlite\nsources:\n  - van=gpsd://localhost\ntracking:\n  dwell: 1e3\n  gate: on\n",
            "commit: {interval: 30, points: 500}\nretention:\n  events: 30\nlog-level: \"debug\"\n# x\n? a\n: b\n",
        ]
    ) { bytes in
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        let layer = ConfigurationFile.layer(path: "file", text: text) { _ = try ReceiverAddress($0) }
        guard layer.problems.isEmpty else { return }
        _ = DaemonConfiguration(ConfigReader(provider: layer.provider))
    }

    /// Texts that the daemon gives out and reads again: cursors, ids, password hashes.
    static let tokens = FuzzTarget(
        "tokens",
        seeds: [
            Cursor("trips", [1, "a"]).text, Cursor(TripExport.Mark.list, TripExport.Mark().values).text, "sight/mill",
            "0123456789abcdef/1/2", "1.2",
            "$scrypt$ln=15,r=8,p=1$YWJj$YWJjYWJjYWJjYWJjYWJjYWJjYWJjYWJjYWJjYWJjYWI", "waymark://sight/a",
            "22:00-07:30",
            "1/a/b",
        ]
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        if let cursor = Cursor(text, of: "trips", count: 2) {
            _ = cursor.integer(0, in: 0...(.max) as ClosedRange<Int64>)
            demand(Cursor(cursor.text, of: "trips", count: 2) == cursor, "a cursor that is not read again")
        }
        // The content of a cursor without its checksum, which no fuzzer guesses.
        if case .array(let values)? = try? JSONValue(parsing: bytes.span) {
            let marks = (TripExport.Mark(values), SightStore.Mark(values), TripQuery.Mark(values))
            demand(marks.0.map { TripExport.Mark($0.values) == $0 } ?? true, "a mark that is not read again")
            demand(marks.1.map { SightStore.Mark($0.values) == $0 } ?? true, "a mark that is not read again")
            demand(marks.2.map { TripQuery.Mark($0.values) == $0 } ?? true, "a mark that is not read again")
        }
        _ = SubjectID(text)
        _ = PasswordText(text)
        _ = NotificationDestination(text)
        _ = DaemonConfiguration.Source(text)
    }

    /// A picture, as far as an upload reads it.
    static let pictures = FuzzTarget("pictures", seeds: ["RIFF\u{1A}\0\0\0WEBPVP8L\r\0\0\0/\u{3}\0\0\0"]) { bytes in
        guard let picture = try? Picture(PictureBytes(Data(bytes))) else { return }
        demand(picture.width > 0 && picture.height > 0, "a picture without a size")
    }
}

extension JSONValue {
    fileprivate var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
}

/// The present of a daemon without any data.
struct Absent: LiveState {
    func positions() async -> [String: Fix] { [:] }
    func openTrips() async -> [String: TripSummary] { [:] }
    func policy() async -> TrackingPolicy { TrackingPolicy() }
    func nearest(to place: Coordinate, limit: Int, kind: Geofence.Kind) async -> [GeofenceIndex.Neighbor] { [] }
    func explain(
        _ question: Explanation.Question, _ geofence: Geofence.Identity, device: String
    ) async -> (geofence: Geofence, explanation: Explanation)? { nil }
    func historyBegin(of device: String) async -> Timestamp? { nil }
    func watch(_ changes: [GeofenceChange]) async {}
    func publish(_ events: [EventRecord]) async {}
}
