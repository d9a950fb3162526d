import Geodesy

/// Numbers in fixed columns.
enum IGCText {
    /// Returns the number of some digits of a line; `nil` if one of them is missing or no digit.
    ///
    /// At most nine digits are read.
    static func number(_ line: [UInt8], _ start: Int, _ count: Int) -> Int? {
        guard start >= 0, 1...9 ~= count, line.count - count >= start else { return nil }
        var value = 0
        for byte in line[start..<start + count] {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        return value
    }
}

/// The fixed columns of a B record: `B` `HHMMSS` `DDMMmmmN` `DDDMMmmmE` `A` `PPPPP` `GGGGG`.
///
/// Minutes have three decimals without a point. `P` is the altitude of the pressure and `G` that of the satellites, in
/// metres, with a minus sign in the first column if it is negative.
struct IGCFix {
    /// The time of day in UTC, without a fraction of the second.
    let millisecondsOfDay: Int64
    /// The place; `nil` if it is out of range.
    let place: Coordinate?
    /// Whether the fix has no height of the satellites.
    let isTwoDimensional: Bool
    /// The altitude of the satellites; `nil` if it is missing.
    let altitude: Int?

    /// Reads a line; the result is `nil` if a column of the time or the place cannot be read.
    init?(_ line: [UInt8]) {
        guard let hour = IGCText.number(line, 1, 2), let minute = IGCText.number(line, 3, 2),
            let second = IGCText.number(line, 5, 2), hour <= 23, minute <= 59, second <= 60,
            let latitude = Self.degrees(line, 7, 2, "N", "S"), let longitude = Self.degrees(line, 15, 3, "E", "W"),
            line.count > 24, line[24] == UInt8(ascii: "A") || line[24] == UInt8(ascii: "V")
        else { return nil }
        millisecondsOfDay = Int64((hour * 60 + minute) * 60 + second) * 1000
        isTwoDimensional = line[24] == UInt8(ascii: "V")
        if let north = Int32(exactly: latitude), let east = Int32(exactly: longitude) {
            place = Coordinate(latitudeE7: north, longitudeE7: east)
        } else {
            place = nil
        }
        let isNegative = line.count > 30 && line[30] == UInt8(ascii: "-")
        let height = isNegative ? IGCText.number(line, 31, 4) : IGCText.number(line, 30, 5)
        altitude = height.map { isNegative ? -$0 : $0 }
    }

    /// Returns degrees in units of 1e-7.
    private static func degrees(
        _ line: [UInt8], _ start: Int, _ digits: Int, _ positive: Unicode.Scalar, _ negative: Unicode.Scalar
    ) -> Int? {
        let end = start + digits + 5
        guard let degrees = IGCText.number(line, start, digits),
            let thousandths = IGCText.number(line, start + digits, 5), thousandths < 60_000, end < line.count
        else { return nil }
        // 60,000 thousandths of a minute are 10⁷ units; rounded to the nearest.
        let units = ((degrees * 60_000 + thousandths) * 1000 + 3) / 6
        switch line[end] {
        case UInt8(ascii: positive): return units
        case UInt8(ascii: negative): return -units
        default: return nil
        }
    }
}

/// Where the additions to B records are, as an I record tells: `I` `NN`, then `SSFFCCC` for each.
///
/// `SS` and `FF` are the first and the last column, counted from 1, and `CCC` is the code of the addition.
///
/// The further digits of latitude and longitude (`LAD`, `LOD`) are worth less than 2 m and are not read.
struct IGCAdditions {
    /// An addition that is read.
    enum Code: String {
        case accuracy = "FXA"
        case satellites = "SIU"
        case fraction = "TDS"
        case speed = "GSP"
        case course = "TRT"
    }

    private var columns: [Code: ClosedRange<Int>] = [:]

    /// No additions.
    init() {}

    /// Reads an I record; the result is `nil` if its number of additions cannot be read.
    ///
    /// An addition whose columns are not valid is left out.
    init?(_ line: [UInt8]) {
        guard let count = IGCText.number(line, 1, 2) else { return nil }
        for index in 0..<count {
            let start = 3 + 7 * index
            guard line.count >= start + 7, let first = IGCText.number(line, start, 2),
                let last = IGCText.number(line, start + 2, 2)
            else { break }
            let code = Code(rawValue: String(decoding: line[start + 4..<start + 7], as: UTF8.self))
            if let code, first > 35, last >= first { columns[code] = first - 1...last - 1 }
        }
    }

    /// Returns the value of an addition in a B record; `nil` if it is not there or no number.
    ///
    /// A fraction of the second is in milliseconds, an accuracy in metres, a speed in km/h and a course in degrees.
    func value(_ code: Code, in line: [UInt8]) -> Int64? {
        guard let range = columns[code], let value = IGCText.number(line, range.lowerBound, range.count) else {
            return nil
        }
        switch code {
        case .accuracy, .satellites: return Int64(value)
        // The unit belongs to three digits.
        case .speed, .course: return range.count == 3 ? Int64(value) : nil
        case .fraction:
            var milliseconds = Int64(value)
            for _ in range.count..<max(3, range.count) { milliseconds *= 10 }
            for _ in 3..<max(3, range.count) { milliseconds /= 10 }
            return milliseconds
        }
    }
}
