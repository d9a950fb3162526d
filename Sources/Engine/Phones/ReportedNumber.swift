internal import Geodesy
internal import Positioning
internal import RPC
internal import TextCoding
internal import Time

/// A number as an app reports it.
enum ReportedNumber: Equatable {
    /// Missing, empty or null.
    case absent
    /// Something else than a finite number.
    case notANumber
    /// A finite number.
    case value(Double)

    /// Reads a JSON number, or a text that is one.
    init(_ json: JSONValue?) {
        switch json {
        case nil, .null: self = .absent
        case .integer(let value): self = .value(Double(value))
        case .number(let value): self = value.isFinite ? .value(value) : .notANumber
        case .string(let text): self.init(text)
        case .bool, .array, .object: self = .notANumber
        }
    }

    /// Reads a text.
    init(_ text: String?) {
        guard let text, !text.trimmingBlanks().isEmpty else {
            self = .absent
            return
        }
        self = DecimalText.parse(text).map(Self.value) ?? .notANumber
    }

    /// The number if it is within a range; `nil` otherwise.
    ///
    /// Apps write −1 for an unknown speed, course, accuracy or battery, which no range of these contains.
    func within(_ range: ClosedRange<Double>) -> Double? {
        guard case .value(let value) = self, range.contains(value) else { return nil }
        return value
    }

    /// The number multiplied by a factor.
    func times(_ factor: Double) -> ReportedNumber {
        guard case .value(let value) = self else { return self }
        return .value(value * factor)
    }

    /// Unknown instead of 0.
    var unlessZero: ReportedNumber { self == .value(0) ? .absent : self }
}

/// What an app reports of one fix, in metres, metres per second and degrees.
struct ReportedFix {
    var time: Timestamp?
    var latitude = ReportedNumber.absent
    var longitude = ReportedNumber.absent
    var altitude = ReportedNumber.absent
    var speed = ReportedNumber.absent
    var track = ReportedNumber.absent
    /// The radius as the app reports it, which holds the true place in 68 % of cases on Android.
    var accuracy = ReportedNumber.absent
    var hdop = ReportedNumber.absent
    /// In percent.
    var battery = ReportedNumber.absent
    var transition: PhoneTransition?

    /// The ratio of the radii that hold 95 % and 68 % of a circular normal distribution, √(ln 0.05 ÷ ln 0.32) = 1.62.
    ///
    /// Android documents its radius as that of 68 %. Apple documents no level, and is read in the same way, so that a
    /// fix is not trusted too much.
    static let radiusRatio = 1.62
    /// The range of a dilution of precision: none is below 0, and one of 1,000 is 19 km.
    private static let dilutions: ClosedRange<Double> = 0...1000

    /// Returns the fix, without the values that are missing or implausible.
    ///
    /// - Throws: the reason why it is no fix: its place or its time.
    func fix() throws(IgnoredReason) -> PhoneFix {
        let place = try place()
        guard let time else { throw .noTime }
        var fix = Fix(time: time, coordinate: place)
        fix.altitude = altitude.within(Fix.altitudes).map(Distance.meters)
        fix.speed = speed.within(Fix.speeds).map(Speed.metersPerSecond)
        fix.track = track.within(Fix.tracks).map(Angle.degrees)
        fix.hdop = hdop.unlessZero.within(Self.dilutions)
        fix.accuracy =
            accuracy.times(Self.radiusRatio).within(Fix.accuracies).map(Distance.meters)
            ?? fix.hdop.map(Accuracy.estimated(hdop:))
        return PhoneFix(time: time, fix: fix, battery: battery.within(0...100), transition: transition)
    }

    /// Returns the place.
    ///
    /// 0° N 0° E exactly is what trackers write before they know their place.
    private func place() throws(IgnoredReason) -> Coordinate {
        switch (latitude, longitude) {
        case (.notANumber, _), (_, .notANumber): throw .notANumber
        case (.value(0), .value(0)), (.absent, _), (_, .absent): throw .noPosition
        case (.value(let latitude), .value(let longitude)):
            guard let place = Coordinate(latitude: latitude, longitude: longitude) else { throw .outOfRange }
            return place
        }
    }
}
