import Geodesy

/// A fix is kept as one array, since a device's state holds many.
///
/// The order is time in ms, latitude and longitude in 1e-7 degrees, altitude, speed, track, accuracy, HDOP, mode,
/// satellites, and 1 where a segment begins; null is what is not known, and what is not known at the end is left out.
extension Fix: Codable {
    /// A fix as it was kept.
    ///
    /// - Throws: `DecodingError` for what was never kept, a place beyond the poles among it.
    public init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        let time = try values.decodeIfPresent(Int64.self)
        let (latitude, longitude) = (try values.decode(Int32.self), try values.decode(Int32.self))
        guard let place = Coordinate(latitudeE7: latitude, longitudeE7: longitude) else {
            throw DecodingError.dataCorruptedError(in: values, debugDescription: "no place on earth")
        }
        func next() throws -> Double? { values.isAtEnd ? nil : try values.decodeIfPresent(Double.self) }
        self.init(time: time.map(Timestamp.init), coordinate: place)
        altitude = try next().map(Distance.meters)
        speed = try next().map(Speed.metersPerSecond)
        track = try next().map(Angle.degrees)
        accuracy = try next().map(Distance.meters)
        hdop = try next()
        mode = try next().flatMap { FixMode(rawValue: UInt8(exactly: $0) ?? 0) }
        satellites = try next().flatMap { Int(exactly: $0) }
        beginsSegment = try next() == 1
    }

    /// Writes the fix as an array.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.unkeyedContainer()
        if let time { try values.encode(time.milliseconds) } else { try values.encodeNil() }
        try values.encode(coordinate.latitudeE7)
        try values.encode(coordinate.longitudeE7)
        var rest: [Double?] = [
            altitude?.meters, speed?.metersPerSecond, track?.degrees, accuracy?.meters, hdop,
            (mode?.rawValue).map(Double.init), satellites.map(Double.init), beginsSegment ? 1 : nil,
        ]
        while rest.last == .some(nil) { rest.removeLast() }
        for value in rest {
            if let value { try values.encode(value) } else { try values.encodeNil() }
        }
    }
}
