internal import Geodesy
internal import Positioning
import Time

/// The content of one sentence, as far as it concerns the fix of its epoch.
///
/// It is passed on to the epoch as an `inout` parameter, although nobody changes it there. The compiler would copy it
/// otherwise, and a copy right after it was written has to wait for the writes.
struct Report: ~Copyable {
    /// Whether a sentence reports a fix.
    enum Status {
        /// The sentence does not say.
        case silent
        /// The receiver has no fix.
        case void
        /// The receiver has a fix, at this position.
        case position(Position)
    }

    let kind: Sentence.Kind
    /// The sender that the sentence names.
    let talker: Talker
    /// The time of day of the epoch; `nil` for types without it.
    var time: TimeOfDay?
    var date: CalendarDate?
    var status = Status.silent
    /// Whether the receiver itself says that it estimated, simulated or was told the position.
    var isEstimated = false
    /// The height above mean sea level.
    var altitude: Distance?
    /// The speed over ground.
    var speed: Speed?
    /// The course over ground.
    var track: Angle?
    /// The horizontal dilution of precision.
    var hdop: Double?
    /// The radius that holds the true position in 95 % of cases.
    var accuracy: Distance?
    /// The kind of the fix, as reported or as derived from the height.
    var mode: FixMode?
    /// The number of satellites used.
    var satellites: Int?

    init(_ kind: Sentence.Kind, talker: Talker) {
        self.kind = kind
        self.talker = talker
    }

    /// Whether the sentence says that its receiver has no fix.
    var isVoid: Bool {
        if case .void = status { true } else { false }
    }
}

/// The first two characters of a sentence's address, which say what kind of device sent it.
struct Talker: Hashable {
    let code: UInt16

    /// The talker of nothing.
    static let none = Talker(code: 0)

    /// The two characters, if they are printable.
    var text: String {
        String(decoding: [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)], as: UTF8.self)
    }
}

/// The ranges of plausible values.
///
/// Values outside them are left out of the fix.
enum Believable {
    /// The speeds in knots.
    ///
    /// A speed above that of anything in a low orbit (15,200) is an error of the receiver.
    static let knots: ClosedRange<Double> = 0...20_000
    /// The same speeds in kilometres per hour.
    static let kilometersPerHour: ClosedRange<Double> = 0...37_040
    /// The dilutions.
    ///
    /// Receivers send 0 if they do not know it, and 99 or more means that there is none.
    static let hdop: ClosedRange<Double> = 0.01...98.99
    /// The deviations, in metres.
    ///
    /// A deviation as large as the earth is meaningless.
    static let deviation: ClosedRange<Double> = 0...6_371_000
}
