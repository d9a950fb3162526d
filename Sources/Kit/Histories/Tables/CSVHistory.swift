internal import Geodesy
internal import Interchange
public import Positioning
internal import Time

/// Reads a location history from a table with a header: GPSLogger's, Waymark's own export, and others whose columns have
/// usual names.
///
/// A row is a point. A time is RFC 3339, in UTC if it has no zone, or a number of seconds or milliseconds since 1970; it
/// may also be in two columns, `date` and `time`. Accuracy is a phone's radius of 68 %, except in Waymark's own export. A
/// speed without a unit is in metres a second. With another separator than a comma, a number may have a decimal comma.
///
/// A row that cannot be read is counted; a quote that is never closed and bytes that are no text refuse the whole file;
/// see `CSVReader` of the room Interchange.
public struct CSVHistory: HistoryDecoder {
    private let separator: UInt8
    private var reader: CSVReader
    private var rows: [CSVRow] = []
    private var columns: CSVColumns?
    private var segment: String?
    private var beginsSegment = true

    /// What stood in the history as a point and was none, counted by reason.
    public private(set) var dropped: [DroppedPoint: Int] = [:]

    /// Creates a reader at the beginning of a file.
    ///
    /// - Parameter separator: the byte between two fields: a comma, semicolon or tab.
    public init(separator: UInt8 = UInt8(ascii: ",")) {
        self.separator = separator
        reader = CSVReader(separator: separator)
    }

    /// Decodes bytes, and appends the fixes of the rows that are complete.
    ///
    /// - Throws: `RecordingError` if the text is no table, or if its header lacks a time or place.
    public mutating func feed(_ bytes: Span<UInt8>, into items: inout [HistoryItem]) throws(RecordingError) {
        do throws(RecordingError) {
            try reader.feed(bytes, into: &rows)
        } catch {
            try read(into: &items)
            throw error
        }
        try read(into: &items)
    }

    /// Ends the history, and appends the fix of its last row.
    public mutating func finish(into items: inout [HistoryItem]) throws(RecordingError) {
        try reader.finish(into: &rows)
        try read(into: &items)
    }

    private mutating func read(into items: inout [HistoryItem]) throws(RecordingError) {
        defer { rows.removeAll(keepingCapacity: true) }
        for row in rows {
            guard let columns else {
                let found = CSVColumns(row.fields)
                guard found.areEnough else {
                    throw RecordingError(
                        "the table has no columns that are named time, latitude and longitude", line: row.line)
                }
                columns = found
                continue
            }
            do throws(DroppedPoint) {
                items.append(.fix(try fix(row, columns)))
            } catch {
                dropped[error, default: 0] += 1
            }
        }
    }

    private mutating func fix(_ row: CSVRow, _ columns: CSVColumns) throws(DroppedPoint) -> Fix {
        guard row.fields.dropFirst(columns.width).allSatisfy(\.isEmpty) else { throw .unreadable }
        let place = try place(row, columns)
        let time = try time(row, columns)
        var fix = Fix(time: columns.isOwn ? time : try HistoryTime.plausible(time), coordinate: place)
        fix.altitude = HistoryValues.altitude(number(columns.altitude, row))
        fix.speed =
            HistoryValues.speed(number(columns.speed, row))
            ?? HistoryValues.speed(number(columns.speedInKilometersPerHour, row).map { $0 / 3.6 })
            ?? HistoryValues.speed(number(columns.speedInKnots, row).map { Speed.knots($0).metersPerSecond })
        fix.track = HistoryValues.track(number(columns.track, row))
        let radius = number(columns.accuracy, row)
        fix.accuracy = columns.isOwn ? HistoryValues.accuracy(radius) : HistoryValues.phoneAccuracy(radius)
        if let hdop = number(columns.hdop, row), hdop > 0, hdop < 99 {
            fix.hdop = hdop
            fix.accuracy = fix.accuracy ?? Accuracy.estimated(hdop: hdop)
        }
        fix.satellites = number(columns.satellites, row).flatMap { Int(exactly: $0) }.flatMap {
            (0...1000).contains($0) ? $0 : nil
        }
        fix.kind = text(columns.kind, row).flatMap { TripKind(word: $0.utf8) }
        let segment = text(columns.segment, row)
        fix.beginsSegment = beginsSegment || segment != self.segment
        self.segment = segment
        beginsSegment = false
        return fix
    }

    private func place(_ row: CSVRow, _ columns: CSVColumns) throws(DroppedPoint) -> Coordinate {
        if columns.latitude != nil, columns.longitude != nil {
            return try HistoryValues.place(
                latitude: required(columns.latitude, row), longitude: required(columns.longitude, row))
        }
        return try HistoryValues.place(
            latitudeE7: required(columns.latitudeE7, row), longitudeE7: required(columns.longitudeE7, row))
    }

    private func time(_ row: CSVRow, _ columns: CSVColumns) throws(DroppedPoint) -> Timestamp {
        let date = text(columns.date, row)
        guard let clock = text(columns.time, row) else {
            guard let date else { throw .noTime }
            return try Self.time(date)
        }
        if let date, let time = try? Self.time(date + "T" + clock) { return time }
        return try Self.time(clock)
    }

    /// Returns the time that a text holds, also with slashes between year, month and day.
    private static func time(_ text: String) throws(DroppedPoint) -> Timestamp {
        let slash = UInt8(ascii: "/")
        guard text.utf8.contains(slash) else { return try HistoryTime.time(text.utf8.span) }
        let bytes = text.utf8.map { $0 == slash ? UInt8(ascii: "-") : $0 }
        return try HistoryTime.time(bytes.span)
    }

    private func text(_ column: Int?, _ row: CSVRow) -> String? {
        guard let column, column < row.fields.count, !row.fields[column].isEmpty else { return nil }
        return row.fields[column]
    }

    private func required(_ column: Int?, _ row: CSVRow) throws(DroppedPoint) -> Double {
        guard let text = text(column, row), !text.utf8.allSatisfy({ $0 == 0x20 }) else { throw .noPosition }
        guard let number = number(text) else { throw .notANumber }
        return number
    }

    private func number(_ column: Int?, _ row: CSVRow) -> Double? { text(column, row).flatMap(number) }

    private func number(_ text: String) -> Double? {
        let comma = UInt8(ascii: ",")
        guard separator != comma, text.utf8.contains(comma) else { return DecimalReader.value(text.utf8.span) }
        let bytes = text.utf8.map { $0 == comma ? UInt8(ascii: ".") : $0 }
        return DecimalReader.value(bytes.span)
    }
}
