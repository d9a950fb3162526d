import Geodesy
public import Positioning
public import Time

/// Reads the fixes of a flight in the format of the International Gliding Commission.
///
/// Each B record is a point, whether it is marked as a fix in three dimensions (`A`) or in two (`V`). The altitude is
/// that of the satellites, as the file says it: above the ellipsoid or above the sea. That of the pressure is not used,
/// since it is not above the sea. The additions that the I record describes give the accuracy (`FXA`), the satellites
/// (`SIU`), the speed (`GSP`), the course (`TRT`) and the fraction of the second (`TDS`).
///
/// The date is that of the header, and changes when the clock passes midnight. Lines that begin with another letter and
/// B records that cannot be read are passed over. The time is linear in the length; the memory is that of a line.
///
/// - SeeAlso: FAI, *Technical Specification for IGC-Approved Flight Recorders*, appendix A.
public struct IGCDecoder: HistoryDecoder {
    /// What stood in the file as a point and was none, counted by reason.
    public private(set) var dropped: [DroppedPoint: Int] = [:]

    /// The most bytes of a line that are kept.
    ///
    /// A B record has 35 bytes and additions of at most 99 columns in all; comments may be longer and are not used.
    private static let maximumLine = 256

    private var line: [UInt8] = []
    private var isCut = false
    private var layout = IGCAdditions()
    /// The date of the last header, and the day of the last fix.
    private var headerDate: CalendarDate?
    private var day: CalendarDate?
    private var lastTime: Int64?
    private var hasHeader = false
    private var undated = 0
    private var hasDatedFixes = false
    private var beginsSegment = true

    /// Creates a decoder at the beginning of a flight.
    ///
    /// - Parameter date: The day on which the flight began in UTC, if the user knows it; the file's own date counts more.
    public init(date: CalendarDate? = nil) { day = date }

    /// Reads a chunk, and appends the items that are complete; see `HistoryDecoder`.
    public mutating func feed(_ bytes: Span<UInt8>, into items: inout [HistoryItem]) throws(RecordingError) {
        for index in bytes.indices {
            let byte = bytes[index]
            if byte == 0x0A || byte == 0x0D {
                endLine(into: &items)
            } else if line.count < Self.maximumLine {
                line.append(byte)
            } else {
                isCut = true
            }
        }
    }

    /// Ends the file, and appends the last items; see `HistoryDecoder`.
    public mutating func finish(into items: inout [HistoryItem]) throws(RecordingError) {
        endLine(into: &items)
        guard hasHeader || undated > 0 || hasDatedFixes else {
            throw RecordingError("not an IGC flight: no line is an A record, a date (HFDTE) or a B record")
        }
        guard undated == 0 || hasDatedFixes else {
            throw RecordingError(
                "the flight has no date, so no fix has a time; add a line such as HFDTE290624 or give a date")
        }
        if undated > 0 { dropped[.noTime, default: 0] += undated }
        undated = 0
    }

    private mutating func endLine(into items: inout [HistoryItem]) {
        // A byte-order mark is a part of no record.
        if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        // A line that was cut is a comment or damaged.
        if !isCut, let first = line.first {
            switch first {
            case UInt8(ascii: "A"): hasHeader = true
            case UInt8(ascii: "H"): readHeader()
            case UInt8(ascii: "I"): layout = IGCAdditions(line) ?? layout
            case UInt8(ascii: "B"): readFix(into: &items)
            default: break
            }
        }
        line.removeAll(keepingCapacity: true)
        isCut = false
    }

    /// Reads the date of a header: `HFDTE290624` or `HFDTEDATE:290624,01`.
    private mutating func readHeader() {
        guard line.count > 5, line[2..<5].elementsEqual("DTE".utf8) else { return }
        hasHeader = true
        let digits = line[5...].drop { !(0x30...0x39).contains($0) }
        guard let start = digits.indices.first, let day = IGCText.number(line, start, 2),
            let month = IGCText.number(line, start + 2, 2), let year = IGCText.number(line, start + 4, 2),
            let date = CalendarDate(year: year < 80 ? 2000 + year : 1900 + year, month: month, day: day)
        else { return }
        // Some recorders repeat the date of the start, also after midnight.
        guard date != headerDate else { return }
        headerDate = date
        self.day = date
        lastTime = nil
    }

    private mutating func readFix(into items: inout [HistoryItem]) {
        guard let fix = IGCFix(line) else { return dropped[.unreadable, default: 0] += 1 }
        let time = fix.millisecondsOfDay + (layout.value(.fraction, in: line) ?? 0)
        guard let day = day(of: time) else { return undated += 1 }
        hasDatedFixes = true
        guard let place = fix.place else { return dropped[.outOfRange, default: 0] += 1 }
        // Recorders write this until they know a place.
        guard !fix.isTwoDimensional || place != .origin else { return dropped[.noPosition, default: 0] += 1 }
        var item = Fix(
            time: Timestamp(day, millisecondsOfDay: time), coordinate: place, beginsSegment: beginsSegment)
        item.mode = fix.isTwoDimensional ? .twoDimensional : .threeDimensional
        if !fix.isTwoDimensional { item.altitude = fix.altitude.map { .meters(Double($0)) } }
        // The estimated error is one of two sigma. A recorder that does not know it writes 0.
        if let error = layout.value(.accuracy, in: line), error > 0 { item.accuracy = .meters(Double(error)) }
        item.satellites = layout.value(.satellites, in: line).map(Int.init)
        item.speed = layout.value(.speed, in: line).map { .kilometersPerHour(Double($0)) }
        item.track = layout.value(.course, in: line).flatMap { $0 <= 360 ? .degrees(Double($0)) : nil }
        beginsSegment = false
        items.append(.fix(item))
    }

    /// Returns the day of a time of day in milliseconds that follows the last one; `nil` if no date is known.
    ///
    /// A step back by more than half a day is a midnight. One ahead by nearly a day is a record out of order.
    private mutating func day(of time: Int64) -> CalendarDate? {
        guard let known = day else { return nil }
        let step = lastTime.map { time - $0 } ?? 0
        let half = Timestamp.millisecondsPerDay / 2
        let passed: Int64 = step < -half ? 1 : step > Timestamp.millisecondsPerDay - 3_600_000 ? -1 : 0
        let next = CalendarDate(daysSinceEpoch: known.daysSinceEpoch + passed)
        day = next
        lastTime = time
        return next
    }
}
