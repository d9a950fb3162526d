internal import Positioning

/// Reads the `.rec` file of an OwnTracks Recorder: a message a line, in the order of arrival.
///
///     2024-05-11T06:00:00Z⇥*                 ⇥{"_type":"location","lat":41.158,"lon":-8.629,"tst":1715405400}
///
/// The first field is the time of arrival, the second what the message is about; only the third, the message, has a
/// meaning here (Recorder's documentation, STORE). Locations and transitions are fixes. Every other line is counted: by
/// its kind, or as unreadable if it is cut off, has no time of arrival or is no JSON. So a damaged line costs nothing but
/// itself.
public struct OwnTracksRecorderHistory: HistoryDecoder {
    /// The most bytes in a line; a message has at most a few hundred, a damaged file may have no line ends at all.
    public static let maximumLineLength = 64 * 1024

    private var line: [UInt8] = []
    private var isTooLong = false
    private var beginsSegment = true
    private var message = RecorderMessage()

    /// What stood in the history as a point and was none, counted by reason.
    public private(set) var dropped: [DroppedPoint: Int] = [:]

    /// Creates a reader at the beginning of a file.
    public init() {}

    /// Decodes bytes, and appends the fixes of the lines that are complete.
    public mutating func feed(_ bytes: Span<UInt8>, into items: inout [HistoryItem]) {
        for index in bytes.indices {
            let byte = bytes[index]
            if byte == 0x0A {
                endLine(into: &items)
            } else if line.count < Self.maximumLineLength {
                line.append(byte)
            } else {
                isTooLong = true
            }
        }
    }

    /// Ends the history, and appends the fix of its last line.
    public mutating func finish(into items: inout [HistoryItem]) { endLine(into: &items) }

    private mutating func endLine(into items: inout [HistoryItem]) {
        // Swapped out, so that the message can be read from it.
        var line: [UInt8] = []
        swap(&line, &self.line)
        defer {
            line.removeAll(keepingCapacity: true)
            swap(&line, &self.line)
            isTooLong = false
        }
        guard !line.allSatisfy(Self.isBlank) else { return }
        do throws(DroppedPoint) {
            guard !isTooLong, Self.begins(line[...]), let start = line.firstIndex(of: UInt8(ascii: "{")) else {
                throw .unreadable
            }
            var fix = try message.fix(line.span.extracting(start..<line.count))
            fix.beginsSegment = beginsSegment
            beginsSegment = false
            items.append(.fix(fix))
        } catch {
            dropped[error, default: 0] += 1
        }
    }

    /// Returns whether a line begins with the time of an arrival, `2024-05-11T06:00:00Z`, and a tab or blank.
    static func begins(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.count > shape.count, isBlank(line[line.startIndex + shape.count]) else { return false }
        for (byte, form) in zip(line, shape) {
            guard form == UInt8(ascii: "0") ? byte &- 0x30 <= 9 : byte == form else { return false }
        }
        return true
    }

    private static let shape = Array("0000-00-00T00:00:00Z".utf8)

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}

/// Reads the message of a line.
private struct RecorderMessage: JSONSink {
    private let table = JSONFieldTable()
    private var record = JSONRecord()
    private var field = JSONField.none

    mutating func fix(_ bytes: Span<UInt8>) throws(DroppedPoint) -> Fix {
        record.removeAll()
        var input = JSONInput()
        do {
            try input.feed(bytes, into: &self)
            try input.finish(into: &self)
        } catch {
            throw .unreadable
        }
        return try OwnTracksMessage.fix(record)
    }

    mutating func name(_ range: Range<Int>, of bytes: Span<UInt8>) -> Bool {
        field = table.field(range, of: bytes)
        return OwnTracksMessage.fields.contains(field)
    }

    mutating func begin(isArray: Bool) throws(RecordingError) -> Bool {
        try record.begin(popField(), isArray: isArray)
        return true
    }

    mutating func end() { record.end() }

    mutating func scalar(_ scalar: JSONScalar, of bytes: Span<UInt8>) throws(RecordingError) {
        try record.append(popField(), scalar, of: bytes)
    }

    private mutating func popField() -> JSONField {
        defer { field = .none }
        return field
    }
}
