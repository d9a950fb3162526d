/// The members of objects that mean something in a history, at most 64; see ``JSONFieldSet``.
///
/// Members of different histories that mean the same in the same unit share a case.
enum JSONField: UInt8, CaseIterable {
    case none
    // Google's records and months. Places are in ten-millionths of a degree.
    case latitudeE7, longitudeE7, centerLatitudeE7, centerLongitudeE7, timestampMs
    case activitySegment, placeVisit, startLocation, endLocation, location, duration, startTimestamp, endTimestamp
    case startTimestampMs, endTimestampMs, simplifiedRawPath, points
    // The phones' timelines.
    case startTime, endTime, timelinePath, point, minutesFromStart, activity, start, end, latLng, visit, topCandidate
    case placeLocation, timelineMemory, position
    // OwnTracks: time in seconds, speed in kilometres an hour.
    case messageType, latitude, longitude, tst, kilometersPerHour, trigger
    // GeoJSON and Overland.
    case type, geometry, coordinates, properties, date, coordTimes, coordinateProperties, action
    // How somebody travelled.
    case activityType, kind
    // In several: accuracy is a phone's radius in metres, speed is in metres a second.
    case timestamp, time, name, accuracy, altitude, speed, heading

    /// The names of the fields as they stand in histories.
    static let names: [(StaticString, JSONField)] = [
        ("latitudeE7", .latitudeE7), ("longitudeE7", .longitudeE7), ("latE7", .latitudeE7), ("lngE7", .longitudeE7),
        ("centerLatE7", .centerLatitudeE7), ("centerLngE7", .centerLongitudeE7), ("timestampMs", .timestampMs),
        ("activitySegment", .activitySegment), ("placeVisit", .placeVisit), ("startLocation", .startLocation),
        ("endLocation", .endLocation), ("location", .location), ("duration", .duration),
        ("startTimestamp", .startTimestamp), ("endTimestamp", .endTimestamp),
        ("startTimestampMs", .startTimestampMs), ("endTimestampMs", .endTimestampMs),
        ("simplifiedRawPath", .simplifiedRawPath), ("points", .points),
        ("startTime", .startTime), ("endTime", .endTime), ("start_time", .startTime), ("end_time", .endTime),
        ("timelinePath", .timelinePath), ("point", .point),
        ("durationMinutesOffsetFromStartTime", .minutesFromStart), ("activity", .activity), ("start", .start),
        ("end", .end), ("latLng", .latLng), ("LatLng", .latLng), ("visit", .visit), ("topCandidate", .topCandidate),
        ("placeLocation", .placeLocation), ("timelineMemory", .timelineMemory), ("position", .position),
        ("_type", .messageType), ("lat", .latitude), ("lon", .longitude), ("tst", .tst), ("vel", .kilometersPerHour),
        ("t", .trigger),
        ("type", .type), ("geometry", .geometry), ("coordinates", .coordinates), ("properties", .properties),
        ("date", .date), ("coordTimes", .coordTimes), ("times", .coordTimes),
        ("coordinateProperties", .coordinateProperties), ("action", .action),
        ("activityType", .activityType), ("kind", .kind), ("motion", .kind),
        ("timestamp", .timestamp), ("time", .time), ("name", .name),
        ("accuracy", .accuracy), ("acc", .accuracy), ("accuracyMeters", .accuracy), ("horizontal_accuracy", .accuracy),
        ("altitude", .altitude), ("alt", .altitude), ("altitudeMeters", .altitude),
        ("speed", .speed), ("velocity", .speed), ("speedMetersPerSecond", .speed),
        ("heading", .heading), ("course", .heading), ("bearing", .heading), ("cog", .heading),
    ]
}

/// A set of fields.
struct JSONFieldSet: Sendable {
    private var bits: UInt64 = 0

    init(_ fields: JSONField...) {
        for field in fields { bits |= 1 << UInt64(field.rawValue) }
    }

    func contains(_ field: JSONField) -> Bool { bits & 1 << UInt64(field.rawValue) != 0 }
}

/// A hash table from names to fields.
struct JSONFieldTable: Sendable {
    private static let size = 256

    /// For each hash the number of an entry, counted from 1; 0 if there is none.
    private var slots = [UInt8](repeating: 0, count: size)
    private var entries: [(name: [UInt8], field: JSONField)] = []

    init() {
        for (name, field) in JSONField.names {
            let bytes = Array(name.description.utf8)
            entries.append((bytes, field))
            var slot = Self.hash(bytes.span, 0..<bytes.count)
            while slots[slot] != 0 { slot = (slot + 1) % Self.size }
            slots[slot] = UInt8(entries.count)
        }
    }

    /// Returns the field with a name, or `none`.
    func field(_ range: Range<Int>, of bytes: Span<UInt8>) -> JSONField {
        guard !range.isEmpty else { return .none }
        var slot = Self.hash(bytes, range)
        // The table has more slots than entries, so an empty one ends the search.
        while slots[slot] != 0 {
            let index = Int(slots[slot]) - 1
            if matches(index, range, bytes) { return entries[index].field }
            slot = (slot + 1) % Self.size
        }
        return .none
    }

    private func matches(_ index: Int, _ range: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
        let count = entries[index].name.count
        guard count == range.count else { return false }
        for offset in 0..<count where entries[index].name[offset] != bytes[range.lowerBound + offset] { return false }
        return true
    }

    private static func hash(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        let (first, last) = (Int(bytes[range.lowerBound]), Int(bytes[range.upperBound - 1]))
        let middle = Int(bytes[range.lowerBound + range.count / 2])
        return (range.count &* 29 &+ first &* 7 &+ last &* 3 &+ middle &* 11) % size
    }
}
