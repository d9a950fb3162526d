import Geodesy
import Time

/// Encodes a fix as an array, because a device's state contains many fixes.
///
/// The order is time in ms, latitude and longitude in 1e-7 degrees, altitude, speed, track, accuracy, HDOP, mode,
/// satellites, and 1 if a segment begins. Unknown values are null; at the end of the array they are omitted.
extension Fix: Codable {
    /// Decodes a fix from an array.
    ///
    /// - Throws: `DecodingError` if the data is invalid, such as a place beyond the poles.
    public init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        let time = try values.decodeIfPresent(Int64.self)
        let (latitude, longitude) = (try values.decode(Int32.self), try values.decode(Int32.self))
        guard let place = Coordinate(latitudeE7: latitude, longitudeE7: longitude) else {
            throw DecodingError.dataCorruptedError(in: values, debugDescription: "not a place on Earth")
        }
        self.init(time: time.map(Timestamp.init), coordinate: place)
        measures = try values.measures(after: Self.unmeasured)
    }

    /// Encodes the fix as an array.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.unkeyedContainer()
        if let time { try values.encode(time.milliseconds) } else { try values.encodeNil() }
        try values.encode(coordinate.latitudeE7)
        try values.encode(coordinate.longitudeE7)
        try values.encode(measures, after: Self.unmeasured)
    }

    /// All values except the time and the place, in the order of the encoding.
    fileprivate var measures: [Double?] {
        get {
            [
                altitude?.meters, speed?.metersPerSecond, track?.degrees, accuracy?.meters, hdop,
                (mode?.rawValue).map(Double.init), satellites.map(Double.init), beginsSegment ? 1 : nil,
            ]
        }
        set {
            altitude = newValue[0].map(Distance.meters)
            speed = newValue[1].map(Speed.metersPerSecond)
            track = newValue[2].map(Angle.degrees)
            accuracy = newValue[3].map(Distance.meters)
            hdop = newValue[4]
            mode = newValue[5].flatMap { FixMode(rawValue: UInt8(exactly: $0) ?? 0) }
            satellites = newValue[6].flatMap { Int(exactly: $0) }
            beginsSegment = newValue[7] == 1
        }
    }

    /// The measures of a fix without any.
    fileprivate static let unmeasured = [Double?](repeating: nil, count: 8)
}

/// A sequence of fixes, encoded by what changes from one to the next.
///
/// Each fix is an array like a single ``Fix``, with two differences. Time and place are relative to those of the fix
/// before, and measures at the end that equal those before are omitted. Nothing is rounded. The fixes of a drive take
/// half as many bytes as they do one by one.
public struct FixSeries: Codable, Hashable, Sendable {
    /// The fixes in order.
    public var fixes: [Fix]

    /// Creates a series to encode.
    public init(_ fixes: [Fix]) { self.fixes = fixes }

    /// Decodes a series.
    ///
    /// - Throws: `DecodingError` if the data is invalid, such as a place beyond the poles.
    public init(from decoder: any Decoder) throws {
        var series = try decoder.unkeyedContainer()
        fixes = []
        var (time, latitude, longitude) = (Timestamp(milliseconds: 0), Int64(0), Int64(0))
        var measures = Fix.unmeasured
        while !series.isAtEnd {
            var values = try series.nestedUnkeyedContainer()
            let step = try values.decodeIfPresent(Int64.self)
            let moved = (
                latitude.addingReportingOverflow(try values.decode(Int64.self)),
                longitude.addingReportingOverflow(try values.decode(Int64.self))
            )
            guard !moved.0.overflow, !moved.1.overflow, let latitudeE7 = Int32(exactly: moved.0.partialValue),
                let longitudeE7 = Int32(exactly: moved.1.partialValue),
                let place = Coordinate(latitudeE7: latitudeE7, longitudeE7: longitudeE7)
            else { throw DecodingError.dataCorruptedError(in: values, debugDescription: "not a place on Earth") }
            if let step { time = time.advanced(byMilliseconds: step) }
            (latitude, longitude) = (moved.0.partialValue, moved.1.partialValue)
            measures = try values.measures(after: measures)
            var fix = Fix(time: step == nil ? nil : time, coordinate: place)
            fix.measures = measures
            fixes.append(fix)
        }
    }

    /// Encodes the fixes as an array of arrays.
    public func encode(to encoder: any Encoder) throws {
        var series = encoder.unkeyedContainer()
        var (time, latitude, longitude) = (Timestamp(milliseconds: 0), Int64(0), Int64(0))
        var measures = Fix.unmeasured
        for fix in fixes {
            var values = series.nestedUnkeyedContainer()
            if let now = fix.time {
                try values.encode(now.milliseconds(since: time))
                time = now
            } else {
                try values.encodeNil()
            }
            // These are differences of 32-bit numbers, which do not overflow.
            try values.encode(Int64(fix.coordinate.latitudeE7) - latitude)
            try values.encode(Int64(fix.coordinate.longitudeE7) - longitude)
            (latitude, longitude) = (Int64(fix.coordinate.latitudeE7), Int64(fix.coordinate.longitudeE7))
            try values.encode(fix.measures, after: measures)
            measures = fix.measures
        }
    }
}

extension UnkeyedDecodingContainer {
    /// Decodes the rest of a fix.
    ///
    /// Omitted measures equal those of the fix before.
    fileprivate mutating func measures(after before: [Double?]) throws -> [Double?] {
        var measures = before
        for index in measures.indices where !isAtEnd { measures[index] = try decodeIfPresent(Double.self) }
        return measures
    }
}

extension UnkeyedEncodingContainer {
    /// Encodes measures up to the last one that differs from those before.
    fileprivate mutating func encode(_ measures: [Double?], after before: [Double?]) throws {
        // The comparison is bit by bit, so that -0 stays -0.
        let last = measures.indices.last { measures[$0]?.bitPattern != before[$0]?.bitPattern }
        for value in measures.prefix(last.map { $0 + 1 } ?? 0) {
            if let value { try encode(value) } else { try encodeNil() }
        }
    }
}
