internal import Geodesy
internal import Positioning

/// Conversions of the values that histories hold to those of a fix.
///
/// A value out of range is unknown, because a history with one absurd speed is still a history.
enum HistoryValues {
    /// The factor from the radius of 68 %, which phones report, to that of 95 %.
    ///
    /// It holds for errors that are normally distributed and equal in all directions (Rayleigh distribution): the square
    /// root of ln 0.05 ÷ ln 0.32.
    static let phoneAccuracyFactor = 1.62

    /// Returns the accuracy for a phone's radius of 68 % in metres; `nil` if it is 0 or less, which means unknown.
    static func phoneAccuracy(_ radius: Double?) -> Distance? {
        accuracy(radius.map { $0 * phoneAccuracyFactor })
    }

    /// Returns the accuracy for a radius of 95 % in metres; `nil` if it is 0 or less.
    static func accuracy(_ radius: Double?) -> Distance? {
        guard let radius, radius > 0, Fix.accuracies.contains(radius) else { return nil }
        return .meters(radius)
    }

    static func altitude(_ meters: Double?) -> Distance? {
        guard let meters, Fix.altitudes.contains(meters) else { return nil }
        return .meters(meters)
    }

    static func speed(_ metersPerSecond: Double?) -> Speed? {
        guard let metersPerSecond, Fix.speeds.contains(metersPerSecond) else { return nil }
        return .metersPerSecond(metersPerSecond)
    }

    static func track(_ degrees: Double?) -> Angle? {
        guard let degrees, Fix.tracks.contains(degrees) else { return nil }
        return .degrees(degrees)
    }

    /// Returns the place at a latitude and longitude in degrees.
    static func place(latitude: Double?, longitude: Double?) throws(DroppedPoint) -> Coordinate {
        guard let latitude, let longitude else { throw .noPosition }
        guard !latitude.isNaN, !longitude.isNaN else { throw .notANumber }
        guard let place = Coordinate(latitude: latitude, longitude: longitude) else { throw .outOfRange }
        return place
    }

    /// Returns the place that a text holds as Google's phones write it: `41.158°, -8.629°` or `geo:41.158,-8.629`.
    ///
    /// The bytes between a number and the comma do not matter, so the sign of degrees may be in any encoding, also
    /// encoded twice. A text with three commas has decimal commas.
    static func place(_ text: Span<UInt8>) throws(DroppedPoint) -> Coordinate {
        let commas = text.indices.reduce(0) { text[$1] == UInt8(ascii: ",") ? $0 + 1 : $0 }
        guard commas == 3 else { return try placeWithPoints(text) }
        var withPoints: [UInt8] = []
        var comma = 0
        for index in text.indices {
            let isComma = text[index] == UInt8(ascii: ",")
            if isComma { comma += 1 }
            withPoints.append(isComma && comma != 2 ? UInt8(ascii: ".") : text[index])
        }
        return try placeWithPoints(withPoints.span)
    }

    private static func placeWithPoints(_ text: Span<UInt8>) throws(DroppedPoint) -> Coordinate {
        var at = 0
        if text.count > 4, text[0] == UInt8(ascii: "g"), text[1] == UInt8(ascii: "e"), text[2] == UInt8(ascii: "o"),
            text[3] == UInt8(ascii: ":")
        {
            at = 4
        }
        let latitude = DecimalReader.prefix(of: text, from: &at)
        while at < text.count, text[at] != UInt8(ascii: ",") { at += 1 }
        guard let latitude, at < text.count else { throw text.isEmpty ? .noPosition : .notANumber }
        at += 1
        while at < text.count, text[at] == 0x20 { at += 1 }
        guard let longitude = DecimalReader.prefix(of: text, from: &at) else { throw .notANumber }
        return try place(latitude: latitude, longitude: longitude)
    }

    /// Returns the place at a latitude and longitude in ten-millionths of a degree.
    ///
    /// Old files of Google hold numbers that are 2³² too great, because they were signed once and written as unsigned.
    /// No such number is a place by itself, so it is corrected.
    static func place(latitudeE7: Double?, longitudeE7: Double?) throws(DroppedPoint) -> Coordinate {
        guard let latitudeE7, let longitudeE7 else { throw .noPosition }
        let (latitude, longitude) = (unwrapped(latitudeE7, limit: 9e8), unwrapped(longitudeE7, limit: 18e8))
        guard latitude.rounded() == latitude, longitude.rounded() == longitude else { throw .notANumber }
        guard let latitude = Int32(exactly: latitude), let longitude = Int32(exactly: longitude),
            let place = Coordinate(latitudeE7: latitude, longitudeE7: longitude)
        else { throw .outOfRange }
        return place
    }

    private static func unwrapped(_ value: Double, limit: Double) -> Double {
        value > limit && abs(value - 4_294_967_296) <= limit ? value - 4_294_967_296 : value
    }
}
