import Foundation
import TestSupport
import Time

/// The files of `fixtures`, with paths as the command line takes them.
enum Fixture {
    static let sights = "fixtures/amsterdam.sights.csv"

    /// Recordings with a golden file: all but the GPX file that ends inside a tag.
    static let recordings: [String] = files.filter { $0.hasSuffix(".nmea") || $0.hasSuffix(".gpx") }
        .filter { $0 != "damaged.gpx" }

    static let files: [String] = {
        let folder = Command.repository.appending(path: "fixtures").path
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }()

    static func data(_ file: String) throws -> Data {
        try Data(contentsOf: Command.repository.appending(path: "fixtures/\(file)"))
    }

    static func name(of recording: String) -> String { String(recording.prefix { $0 != "." }) }

    /// Returns the options for a recording's replay.
    static func options(of name: String) throws -> [String] {
        String(decoding: try data("\(name).options"), as: UTF8.self).split { $0.isWhitespace }.map(String.init)
    }

    static func golden(_ name: String) throws -> Data { try data("\(name).events.jsonl") }
}

/// The part of an event, or of the summary, that tests read.
struct EventLine: Decodable {
    var seq: Int?
    var type: String
    var time: Timestamp?
    var decided: Timestamp?
    var device: String?
    var geofence: Geofence?
    var trip: Trip?
    var stop: Stop?

    struct Geofence: Decodable { var id: String }

    struct Trip: Decodable {
        var id: String
        var start: Timestamp
        var end: Timestamp?
        var distance: Double?
        var stops: Int?
        var fixes: Int?

        private enum CodingKeys: CodingKey { case id, start, end, distance, stops, fixes }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            id = try values.decode(String.self, forKey: .id)
            start = try values.time(.start).known
            end = try values.time(.end)
            distance = try values.decodeIfPresent(Double.self, forKey: .distance)
            stops = try values.decodeIfPresent(Int.self, forKey: .stops)
            fixes = try values.decodeIfPresent(Int.self, forKey: .fixes)
        }
    }

    /// Returns the events of a golden file.
    static func lines(of golden: String) throws -> [EventLine] {
        try Fixture.golden(golden).split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(EventLine.self, from: $0)
        }
    }

    private enum CodingKeys: CodingKey { case seq, type, time, decided, device, geofence, trip, stop }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        seq = try values.decodeIfPresent(Int.self, forKey: .seq)
        type = try values.decode(String.self, forKey: .type)
        time = try values.time(.time)
        decided = try values.time(.decided)
        device = try values.decodeIfPresent(String.self, forKey: .device)
        geofence = try values.decodeIfPresent(Geofence.self, forKey: .geofence)
        trip = try values.decodeIfPresent(Trip.self, forKey: .trip)
        stop = try values.decodeIfPresent(Stop.self, forKey: .stop)
    }
}

/// A stop, as reported or as it truly was.
struct Stop: Decodable {
    var start: Timestamp
    var end: Timestamp?
    var lat: Double
    var lon: Double

    private enum CodingKeys: CodingKey { case start, end, lat, lon }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        start = try values.time(.start).known
        end = try values.time(.end)
        lat = try values.decode(Double.self, forKey: .lat)
        lon = try values.decode(Double.self, forKey: .lon)
    }
}

/// The summary of a replay.
struct Summary: Decodable {
    var type: String
    var read: Int
    var accepted: Int
    var rejected: [String: Int]
    var malformed: [String: Int]
    var distance: Double
    var trips: Int
    var stops: Int
    var events: [String: Int]
}

/// The true course of a recorded journey.
struct Truth: Decodable {
    var fixes: Int
    var start: Timestamp?
    var end: Timestamp?
    var distance: Double
    var stops: [Stop]

    private enum CodingKeys: String, CodingKey { case fixes, start, end, stops, distance = "recorded_distance" }

    init(of name: String) throws {
        self = try JSONDecoder().decode(Truth.self, from: try Fixture.data("\(name).truth.json"))
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        fixes = try values.decode(Int.self, forKey: .fixes)
        start = try values.time(.start)
        end = try values.time(.end)
        distance = try values.decode(Double.self, forKey: .distance)
        stops = try values.decode([Stop].self, forKey: .stops)
    }
}

extension KeyedDecodingContainer {
    /// Decodes a time in RFC 3339 format.
    func time(_ key: Key) throws -> Timestamp? {
        try decodeIfPresent(String.self, forKey: key).map { text in
            guard let time = Timestamp(rfc3339: text) else {
                throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "\(text) is no time")
            }
            return time
        }
    }
}
