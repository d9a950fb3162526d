import GPX
import NMEA
import Positioning
public import Time

/// The place of a fix in the file of a recording, for a person who looks for it there.
public struct RecordingPlace: Hashable, Sendable {
    /// The number of the fix in the file, counted from 1.
    public let point: Int
    /// The line where it begins, counted from 1.
    public let line: Int
    /// The format of the file.
    public let format: Recording.Format

    /// Creates a place.
    public init(point: Int, line: Int, format: Recording.Format) {
        (self.point, self.line, self.format) = (point, line, format)
    }

    /// The place as a person names it: the line of a log; the point and the line of a document.
    public var words: String {
        switch format {
        case .nmea: "line \(line)"
        case .gpx: "point \(point) in line \(line)"
        }
    }

    /// Finds a fix that a reader or a tracker left out.
    ///
    /// The file is read again, up to that fix.
    ///
    /// - Parameters:
    ///   - reason: why it was left out. Of two fixes of the same time, a late or repeated one is the second.
    ///   - time: its time; `nil` for the first fix without a time.
    ///   - path: the path of the file.
    ///   - date: the day on which the recording begins, for NMEA sentences without a date.
    /// - Returns: `nil` if the file cannot be read twice, as a pipe, or has no such fix.
    public static func find(
        _ reason: String, at time: Timestamp?, in path: String, date: CalendarDate? = nil
    ) -> RecordingPlace? {
        guard path != "-", var search = try? PlaceSearch(reason, at: time, in: path, date: date) else { return nil }
        return search.run()
    }
}

/// A search for a fix in a file.
private struct PlaceSearch {
    private let time: Timestamp?
    /// Whether the fix is the second of two with the same time.
    private let isRepeated: Bool
    private let file: FileBytes
    private var reader: any PlacedDecoder
    private var piece: [UInt8]?
    private var count = 0
    private var before: Timestamp?
    private var last: RecordingPlace?

    init(_ reason: String, at time: Timestamp?, in path: String, date: CalendarDate?) throws(RecordingError) {
        self.time = time
        isRepeated = [FixGate.Rejection.late.rawValue, TidyRecording.duplicate].contains(reason)
        file = try FileBytes(path: path)
        guard !file.isLive, let first = try file.next() else { throw RecordingError("it cannot be read twice") }
        piece = first
        if case .xml = ContentKind(of: first.span) {
            reader = PlacedPoints()
        } else {
            reader = PlacedSentences(date: date)
        }
    }

    mutating func run() -> RecordingPlace? {
        while let bytes = piece {
            // What is damaged ends the search, as it ends the reading.
            guard (try? reader.feed(bytes.span)) != nil else { break }
            if let found = next() { return found }
            piece = (try? file.next()) ?? nil
        }
        try? reader.finish()
        return next() ?? last
    }

    /// Looks through the fixes that are complete.
    private mutating func next() -> RecordingPlace? {
        for (fix, line) in reader.drainFixes() {
            count += 1
            defer { before = fix.time ?? before }
            guard fix.time == time else { continue }
            let place = RecordingPlace(point: count, line: line, format: reader.format)
            // A late fix directly follows one that is not earlier. If none does, it is the last of its time.
            guard isRepeated, before.map({ fix.time ?? $0 > $0 }) ?? true else { return place }
            last = place
        }
        return nil
    }
}

/// A decoder that knows the lines of its fixes.
private protocol PlacedDecoder {
    var format: Recording.Format { get }
    mutating func feed(_ bytes: Span<UInt8>) throws(RecordingError)
    mutating func finish() throws(RecordingError)
    /// Returns the fixes that were completed since the last call, each with its line.
    mutating func drainFixes() -> [(fix: Fix, line: Int)]
}

private struct PlacedPoints: PlacedDecoder {
    let format = Recording.Format.gpx
    private let decoder = GPXDecoder(keepsLines: true)
    private var fixes: [Fix] = []

    mutating func feed(_ bytes: Span<UInt8>) throws(RecordingError) { try decoder.feed(bytes, into: &fixes) }

    mutating func finish() throws(RecordingError) { try decoder.finish(into: &fixes) }

    mutating func drainFixes() -> [(fix: Fix, line: Int)] {
        defer { fixes = [] }
        return zip(fixes, decoder.drainLines()).map { ($0, $1) }
    }
}

private struct PlacedSentences: PlacedDecoder {
    let format = Recording.Format.nmea
    private var decoder: NMEADecoder
    private var fixes: [(fix: Fix, line: Int)] = []
    private var line = 1
    private var begun: [UInt8] = []
    /// The times of day in the last sentences, in milliseconds, each with the line of the first sentence that has it.
    private var epochs: [(time: Int64, line: Int)] = []

    private static let day = Timestamp.millisecondsPerDay
    /// The number of epochs to remember: fixes wait for a sentence with the date for less than that.
    private static let most = 4096
    /// The number of bytes of a sentence in which its time stands.
    private static let longest = 512

    init(date: CalendarDate?) { decoder = NMEADecoder(date: date, awaitsDate: true) }

    mutating func feed(_ bytes: Span<UInt8>) {
        var rest = bytes
        while !rest.isEmpty {
            let end = rest.indices.first { rest[$0] == UInt8(ascii: "\n") }
            let length = end.map { $0 + 1 } ?? rest.count
            let part = rest.extracting(first: length)
            for index in part.indices where begun.count < Self.longest { begun.append(part[index]) }
            if end != nil { noteTime() }
            var completed: [Fix] = []
            decoder.feed(part, into: &completed)
            append(completed)
            if end != nil { line += 1 }
            rest = rest.extracting(droppingFirst: length)
        }
    }

    mutating func finish() {
        var completed: [Fix] = []
        decoder.finish(into: &completed)
        append(completed)
    }

    mutating func drainFixes() -> [(fix: Fix, line: Int)] {
        defer { fixes = [] }
        return fixes
    }

    private mutating func append(_ completed: [Fix]) {
        for fix in completed {
            let time = fix.time.map { ($0.milliseconds % Self.day + Self.day) % Self.day }
            fixes.append((fix, epochs.last { $0.time == time }?.line ?? line))
        }
    }

    /// Notes the time of day of the sentence that has ended.
    private mutating func noteTime() {
        defer { begun.removeAll(keepingCapacity: true) }
        let fields = begun.split(separator: UInt8(ascii: ","), maxSplits: 7, omittingEmptySubsequences: false)
        guard fields.count > 1, let name = fields.first else { return }
        let place = name.suffix(3).elementsEqual("GLL".utf8) ? 5 : 1
        guard place < fields.count, let time = Self.milliseconds(of: fields[place]), epochs.last?.time != time else {
            return
        }
        epochs.append((time, line))
        if epochs.count > 2 * Self.most { epochs = Array(epochs.suffix(Self.most)) }
    }

    /// Returns the milliseconds of a time of day such as `123519.25`.
    private static func milliseconds(of field: ArraySlice<UInt8>) -> Int64? {
        guard field.count >= 6, field.allSatisfy({ (48...57).contains($0) || $0 == UInt8(ascii: ".") }),
            let value = Double(String(decoding: field, as: UTF8.self)), value < 240_000
        else { return nil }
        guard let all = Int64(exactly: (value * 1000).rounded()) else { return nil }
        let (whole, fraction) = (all / 1000, all % 1000)
        let seconds = whole / 10_000 * 3600 + whole / 100 % 100 * 60 + whole % 100
        return seconds * 1000 + fraction
    }
}
