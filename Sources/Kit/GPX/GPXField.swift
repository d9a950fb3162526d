import Geodesy
import Positioning
import TextCoding

/// An element whose text is read.
enum GPXField {
    case headingName, headingTime, trackType
    case elevation, time, speed, course, accuracy, proximity, hdop, satellites, fixType
    case name, comment, description, category, symbol

    /// Creates the field of a child of a point.
    ///
    /// GPX 1.1 has no `speed` and `course`, but many documents of that version contain them as in GPX 1.0.
    init?(inPoint name: GPXName) {
        switch name {
        case .ele: self = .elevation
        case .time: self = .time
        case .speed: self = .speed
        case .course, .heading: self = .course
        case .accuracy: self = .accuracy
        case .hdop: self = .hdop
        case .sat: self = .satellites
        case .fix: self = .fixType
        case .name: self = .name
        case .cmt: self = .comment
        case .desc: self = .description
        case .type: self = .category
        case .sym: self = .symbol
        default: return nil
        }
    }

    /// Creates the field of an element at any depth within a point's extensions.
    ///
    /// Garmin's TrackPointExtension wraps its fields in one more element than other extensions do.
    init?(inPointExtensions name: GPXName) {
        switch name {
        case .speed: self = .speed
        case .course, .heading: self = .course
        case .accuracy, .accuracyHorizontal, .horizontalAccuracy: self = .accuracy
        case .proximity: self = .proximity
        default: return nil
        }
    }
}

extension GPXPoint {
    /// Sets a field from the text of an element, unless an earlier element has set it.
    ///
    /// Some programs write a negative speed, a course outside the circle or a negative accuracy for an unknown value.
    /// Such a value is omitted and does not count as malformed.
    mutating func set(_ field: GPXField, to text: Span<UInt8>, isCut: Bool, counting malformed: inout Tally) {
        switch field {
        case .headingName, .headingTime, .trackType: break
        case .elevation:
            elevation =
                elevation
                ?? GPXValue.number(text, isCut: isCut, "elevation", in: Fix.altitudes, counting: &malformed).map(
                    Distance.meters)
        case .time: time = time ?? GPXValue.time(text, isCut: isCut, counting: &malformed)
        case .speed:
            speed =
                speed
                ?? GPXValue.number(text, isCut: isCut, "speed", in: Fix.speeds, counting: &malformed).map(
                    Speed.metersPerSecond)
        case .course:
            course =
                course
                ?? GPXValue.number(text, isCut: isCut, "course", in: Fix.tracks, counting: &malformed).map {
                    Angle.degrees($0).normalized
                }
        case .accuracy:
            accuracy =
                accuracy
                ?? GPXValue.number(text, isCut: isCut, "accuracy", in: Fix.accuracies, counting: &malformed).map(
                    Distance.meters)
        case .proximity:
            proximity =
                proximity
                ?? GPXValue.number(text, isCut: isCut, "proximity", in: Fix.accuracies, counting: &malformed).map(
                    Distance.meters)
        case .hdop: hdop = hdop ?? GPXValue.number(text, isCut: isCut, "hdop", in: hdops, counting: &malformed)
        case .satellites:
            satellites =
                satellites
                ?? GPXValue.number(text, isCut: isCut, "satellites", in: 0...999, counting: &malformed).map { Int($0) }
        case .fixType: fixType = fixType ?? GPXValue.fixType(text, isCut: isCut, counting: &malformed)
        case .name: name = name ?? GPXValue.string(text, isCut: isCut, counting: &malformed)
        case .comment: comment = comment ?? GPXValue.string(text, isCut: isCut, counting: &malformed)
        case .description: description = description ?? GPXValue.string(text, isCut: isCut, counting: &malformed)
        case .category: category = category ?? GPXValue.string(text, isCut: isCut, counting: &malformed)
        case .symbol: symbol = symbol ?? GPXValue.string(text, isCut: isCut, counting: &malformed)
        }
    }
}

/// The accepted dilutions of precision, without unit; receivers write 99.99 for an unknown one.
private let hdops = 0.0...1000
