import Geodesy
import Positioning
import TextCoding

/// An element whose text is read.
enum GPXField {
    case headingName, headingTime
    case elevation, time, speed, course, accuracy, hdop, satellites, fixType
    case name, comment, description, category, symbol

    /// What a child of a point says; `speed` and `course` are GPX 1.0's, but stand in many documents of 1.1.
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

    /// What an element within a point's extensions says, at any depth: Garmin's TrackPointExtension holds one
    /// element more around them than others do.
    init?(inPointExtensions name: GPXName) {
        switch name {
        case .speed: self = .speed
        case .course, .heading: self = .course
        case .accuracy, .accuracyHorizontal, .horizontalAccuracy: self = .accuracy
        default: return nil
        }
    }
}

extension GPXPoint {
    /// Takes over what an element says, unless one before has said it.
    ///
    /// A negative speed, a course outside the circle and a negative accuracy are some programs' way to say that it
    /// is unknown, so they are absent and not counted as bad.
    mutating func set(_ field: GPXField, to text: GPXText, counting malformed: inout Tally) {
        switch field {
        case .headingName, .headingTime: break
        case .elevation:
            elevation =
                elevation
                ?? text.number("elevation", in: Fix.altitudes, counting: &malformed).map(Distance.meters)
        case .time: time = time ?? text.time(counting: &malformed)
        case .speed:
            speed = speed ?? text.number("speed", in: Fix.speeds, counting: &malformed).map(Speed.metersPerSecond)
        case .course:
            course =
                course
                ?? text.number("course", in: Fix.tracks, counting: &malformed).map { Angle.degrees($0).normalized }
        case .accuracy:
            accuracy =
                accuracy ?? text.number("accuracy", in: Fix.accuracies, counting: &malformed).map(Distance.meters)
        case .hdop: hdop = hdop ?? text.number("hdop", in: hdops, counting: &malformed)
        case .satellites:
            satellites = satellites ?? text.number("satellites", in: 0...999, counting: &malformed).map { Int($0) }
        case .fixType: fixType = fixType ?? text.fixType(counting: &malformed)
        case .name: name = name ?? text.string(counting: &malformed)
        case .comment: comment = comment ?? text.string(counting: &malformed)
        case .description: description = description ?? text.string(counting: &malformed)
        case .category: category = category ?? text.string(counting: &malformed)
        case .symbol: symbol = symbol ?? text.string(counting: &malformed)
        }
    }
}

/// Dilutions that are believed, without unit; receivers say 99.99 where they do not know.
private let hdops = 0.0...1000
