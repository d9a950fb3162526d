internal import Geodesy
internal import Positioning

/// What one sentence says about the fix of its epoch.
struct Report {
    /// What a sentence says about whether there is a fix.
    enum Status {
        /// Nothing.
        case silent
        /// The receiver has no fix.
        case void
        /// The receiver has a fix, and it is here.
        case position(Position)
    }

    /// The type of the sentence.
    let kind: Sentence.Kind
    /// The time of day of the epoch; absent in types that have none.
    var time: TimeOfDay?
    /// The day of the epoch.
    var date: CalendarDate?
    /// Whether there is a fix.
    var status = Status.silent
    /// Height above mean sea level.
    var altitude: Distance?
    /// Speed over ground.
    var speed: Speed?
    /// Course over ground.
    var track: Angle?
    /// Horizontal dilution of precision.
    var hdop: Double?
    /// The radius that holds the position in 95 % of cases.
    var accuracy: Distance?
    /// What kind of fix it is, as said or as it follows from the height.
    var mode: FixMode?
    /// Satellites used.
    var satellites: Int?

    /// A report that says nothing yet.
    init(_ kind: Sentence.Kind) { self.kind = kind }
}

/// What a value must lie within to be believed; beyond, it is left out of the fix.
enum Believable {
    /// Knots: faster than anything in a low orbit (15,200) is a fault of the receiver.
    static let knots: ClosedRange<Double> = 0...20_000
    /// Kilometres per hour, for the same speeds.
    static let kilometersPerHour: ClosedRange<Double> = 0...37_040
    /// A dilution is above 0, which is what receivers send that do not know; 99 and more means that there is none.
    static let hdop: ClosedRange<Double> = 0.01...98.99
    /// Metres: a deviation as large as the earth says nothing.
    static let deviation: ClosedRange<Double> = 0...6_371_000
}
