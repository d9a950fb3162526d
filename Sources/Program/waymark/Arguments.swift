public import ArgumentParser
import Foundation
public import Geodesy
import RPC
import TextCoding
public import Time

extension CalendarDate: ExpressibleByArgument {
    /// Parses a day in the form `YYYY-MM-DD`.
    public init?(argument: String) {
        let parts = argument.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, argument.utf8.allSatisfy({ $0 == 0x2D || (0x30...0x39).contains($0) }),
            parts[0].utf8.count == 4, parts[1].utf8.count == 2, parts[2].utf8.count == 2,
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }
}

extension Timestamp: ExpressibleByArgument {
    /// Parses a time in the form of RFC 3339.
    public init?(argument: String) { self.init(rfc3339: argument) }
}

/// A number of seconds or metres.
struct QuantityArgument: ExpressibleByArgument {
    let value: Double
    /// The largest number accepted: a century in seconds.
    ///
    /// Larger numbers make no sense, and their sum with a timestamp may not fit.
    static let greatest = 3_155_760_000.0

    init(_ value: Double) { self.value = value }

    init?(argument: String) {
        guard let value = DecimalText.parse(argument), (0...Self.greatest).contains(value) else { return nil }
        self.value = value
    }

    var defaultValueDescription: String { DecimalText.string(value, decimals: 3) }
}

/// The speed at which a recording is replayed.
enum ReplaySpeed: ExpressibleByArgument {
    /// The highest speed possible.
    case greatest
    /// A multiple of real time.
    case times(Double)

    /// The multiples accepted.
    ///
    /// At 1e-6, a second of the recording takes almost twelve days; at 1e9, it takes a nanosecond.
    private static let factors = 1e-6...1e9

    var defaultValueDescription: String { "max" }

    init?(argument: String) {
        if argument == "max" {
            self = .greatest
        } else {
            guard let factor = DecimalText.parse(argument), Self.factors.contains(factor) else { return nil }
            self = .times(factor)
        }
    }
}

extension Coordinate: ExpressibleByArgument {
    /// Parses a place in the form `LAT,LON`, in degrees.
    public init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, let latitude = DecimalText.parse(String(parts[0])),
            let longitude = DecimalText.parse(String(parts[1]))
        else { return nil }
        self.init(latitude: latitude, longitude: longitude)
    }
}

/// A time as people write it, which is resolved with the clock that they use.
///
/// It is a time in the form of RFC 3339, a day such as `2026-05-01`, `today`, `yesterday`, or a span before now such as
/// `3h`.
struct TimeArgument: ExpressibleByArgument {
    private let words: String

    init?(argument: String) {
        guard PastTime(argument, now: .now, in: .gmt) != nil else { return nil }
        words = argument
    }

    /// Returns the moment; for a day, its beginning.
    func time(by clock: DisplayClock) -> Timestamp? { PastTime(words, now: .now, in: clock.zone)?.begin }

    /// Returns the moment at which the time is over; for a day, its end.
    func end(by clock: DisplayClock) -> Timestamp? { PastTime(words, now: .now, in: clock.zone)?.end }

    /// Returns the moment as methods take it.
    func json(by clock: DisplayClock) -> JSONValue? { time(by: clock).map { .string($0.description) } }
}
