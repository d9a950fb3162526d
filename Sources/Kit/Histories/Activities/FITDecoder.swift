import Geodesy
public import Positioning
import Time

/// Reads the record messages of a FIT file, as watches and bicycle computers write it.
///
/// It reads definition and data messages in both byte orders, compressed times, and files one after another in one.
/// The messages of sports tell how somebody travelled. Developer fields and all other messages are passed over. A start of the timer begins a segment. Records without a
/// place are common, such as before the first fix, and are counted in ``dropped``.
///
/// A file that is damaged is read up to the damage if it has points until there, and one with a wrong checksum is read
/// whole: most such files come from an empty battery and are sound but for their end. ``damage`` tells of it.
///
/// The time is linear in the length; the memory is bounded by the longest message, 130 kB.
///
/// - SeeAlso: Garmin, *Flexible and Interoperable Data Transfer (FIT) Protocol*, and the profile's messages `record`,
///   `event`, `sport` and `session`.
public struct FITDecoder: DamageTolerantDecoder {
    /// What stood in the file as a point and was none, counted by reason.
    public private(set) var dropped: [DroppedPoint: Int] = [:]
    /// The first damage that did not prevent reading; `nil` if there was none.
    public private(set) var damage: RecordingError?

    private enum Stage { case header, messages, checksum, ended }

    private var stage = Stage.header
    /// The bytes that wait until what they belong to is complete, and how many those are at least.
    private var held: [UInt8] = []
    private var needed = 1
    /// The number of bytes of messages that are still to come; `nil` if the header does not say it.
    private var left: Int?
    private var checksum = FITChecksum()
    private var definitions = [FITDefinition?](repeating: nil, count: 16)
    /// The last time of the file, in seconds since ``epoch``.
    private var lastTime: Int64?
    private var files = 0
    private var hasPoints = false
    private var beginsSegment = true
    /// The sport that has begun.
    private var kind: TripKind?

    /// 1989-12-31T00:00:00Z, in seconds since 1970.
    private static let epoch: Int64 = 631_065_600
    /// The least time that is a date; a lower one counts from when the device was switched on.
    private static let firstDate: Int64 = 0x1000_0000
    /// The number of bytes that are taken from the input at once, so that long input is not copied as a whole.
    private static let pieceLength = 1 << 16
    /// The degrees of a semicircle, the unit of places: 180 / 2³¹.
    private static let degreesPerSemicircle = 180.0 / 2_147_483_648

    /// Creates a decoder at the beginning of a file.
    public init() {}

    /// Reads a chunk, and appends the items that are complete; see `HistoryDecoder`.
    public mutating func feed(_ bytes: Span<UInt8>, into items: inout [HistoryItem]) throws(RecordingError) {
        var rest = bytes
        while !rest.isEmpty, stage != .ended {
            let piece = rest.extracting(first: Self.pieceLength)
            held.reserveCapacity(held.count + piece.count)
            for index in piece.indices { held.append(piece[index]) }
            rest = rest.extracting(droppingFirst: piece.count)
            if held.count >= needed { try read(into: &items) }
        }
    }

    /// Ends the file, and appends the last items; see `HistoryDecoder`.
    public mutating func finish(into items: inout [HistoryItem]) throws(RecordingError) {
        switch stage {
        case .ended: break
        case .header where files == 0: throw RecordingError("not FIT: the file is shorter than a header")
        case .header:
            if !held.isEmpty { try stop("something that is not FIT follows the end of the file") }
        // Such a header was never completed, so there is no checksum, or it was read as a message.
        case .messages where left == nil:
            try stop("the file was not closed when it was recorded; its end may be missing")
        case .messages: try stop("the file is cut off; its end is missing")
        case .checksum: try stop("the file is cut off; its checksum is missing")
        }
        stage = .ended
        held = []
    }

    /// Ends the file at a damage, which is an error if there is no point before it.
    private mutating func stop(_ reason: String) throws(RecordingError) {
        let error = RecordingError("the FIT file is damaged: \(reason)")
        stage = .ended
        held = []
        guard hasPoints else { throw error }
        note(error)
    }

    private mutating func note(_ error: RecordingError) { damage = damage ?? error }

    /// Reads all that is complete.
    private mutating func read(into items: inout [HistoryItem]) throws(RecordingError) {
        // Swapped out while it is read, because a damage empties it.
        var bytes: [UInt8] = []
        swap(&bytes, &held)
        var at = 0
        while stage != .ended {
            if stage == .messages, left == 0 { stage = .checksum }
            needed = try length(bytes[at...])
            guard bytes.count - at >= needed, stage != .ended else { break }
            let unit = bytes[at..<at + needed]
            at += needed
            switch stage {
            case .header: try readHeader(unit)
            case .messages: try readMessage(unit, into: &items)
            case .checksum: readChecksum(unit)
            case .ended: break
            }
        }
        guard stage != .ended else { return }
        bytes.removeFirst(at)
        swap(&bytes, &held)
    }

    /// Returns the number of bytes of what comes next, as far as the bytes show it.
    private mutating func length(_ bytes: ArraySlice<UInt8>) throws(RecordingError) -> Int {
        guard let first = bytes.first else { return 1 }
        let length: Int
        switch stage {
        case .ended: return 0
        case .checksum: return 2
        case .header:
            // The shortest header has 12 bytes; the usual one has its own checksum after them.
            guard first >= 12 else {
                try refuseHeader()
                return 0
            }
            return Int(first)
        case .messages where first & 0xC0 == 0x40: length = FITDefinition.length(bytes)
        case .messages:
            guard let definition = definitions[Self.localType(first)] else {
                try stop("a message has a type that is not defined before it")
                return 0
            }
            length = 1 + definition.length
        }
        if let left, length > left { try stop("a message goes on after the end of the messages") }
        return length
    }

    private static func localType(_ header: UInt8) -> Int {
        Int(header & 0x80 != 0 ? header >> 5 & 0x03 : header & 0x0F)
    }

    private mutating func refuseHeader() throws(RecordingError) {
        guard files == 0 else { return try stop("something that is not FIT follows the end of the file") }
        throw RecordingError("not FIT: the file does not begin with a header of FIT")
    }

    private mutating func readHeader(_ bytes: ArraySlice<UInt8>) throws(RecordingError) {
        let start = bytes.startIndex
        guard bytes.count >= 12, bytes[(start + 8)..<(start + 12)].elementsEqual(".FIT".utf8) else {
            return try refuseHeader()
        }
        let size = bytes[(start + 4)..<(start + 8)].reversed().reduce(0) { $0 << 8 | Int($1) }
        left = size == 0 ? nil : size
        checksum = FITChecksum()
        checksum.add(bytes)
        definitions = [FITDefinition?](repeating: nil, count: 16)
        lastTime = nil
        beginsSegment = true
        kind = nil
        files += 1
        stage = .messages
    }

    private mutating func readChecksum(_ bytes: ArraySlice<UInt8>) {
        let written = bytes.reversed().reduce(0) { $0 << 8 | UInt16($1) }
        if written != checksum.value {
            note(RecordingError("the FIT file is damaged: its checksum is wrong, so that some values may be wrong"))
        }
        stage = .header
    }

    private mutating func readMessage(
        _ bytes: ArraySlice<UInt8>, into items: inout [HistoryItem]
    ) throws(RecordingError) {
        guard let header = bytes.first else { return }
        checksum.add(bytes)
        left = left.map { $0 - bytes.count }
        let type = Self.localType(header)
        if header & 0xC0 == 0x40 {
            guard let definition = FITDefinition(bytes) else {
                return try stop("a definition of messages has an unknown byte order")
            }
            definitions[type] = definition
            return
        }
        guard let definition = definitions[type] else { return }
        var values = Values()
        definition.forEachValue(in: bytes.dropFirst()) { values.set($0, $1) }
        if header & 0x80 != 0 {
            // The low five bits of the time, which lies after the last one.
            values.time = lastTime.map { $0 + (Int64(header & 0x1F) - $0) & 0x1F }
        }
        lastTime = values.time ?? lastTime
        switch definition.message {
        case .record: add(values, to: &items)
        // The event 0 is that of the timer, and its type 0 a start.
        case .event: if values.event == 0, values.eventType == 0 { beginsSegment = true }
        case .sport: kind = values.sport.flatMap { TripKind(fitSport: $0) }
        case .session: addSession(values, to: &items)
        case .other: break
        }
    }

    private func addSession(_ values: Values, to items: inout [HistoryItem]) {
        guard hasPoints, let kind = values.sport.flatMap({ TripKind(fitSport: $0) }), let start = values.start,
            let end = values.time, Self.firstDate <= start, start <= end
        else { return }
        items.append(.activity(HistoryActivity(start: Self.time(start), end: Self.time(end), kind: kind)))
    }

    private static func time(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: (seconds + epoch) * 1000) }

    private mutating func add(_ values: Values, to items: inout [HistoryItem]) {
        guard let latitude = values.latitude, let longitude = values.longitude else {
            return dropped[.noPosition, default: 0] += 1
        }
        guard let seconds = values.time, seconds >= Self.firstDate else { return dropped[.noTime, default: 0] += 1 }
        guard
            let place = Coordinate(
                latitude: Double(latitude) * Self.degreesPerSemicircle,
                longitude: Double(longitude) * Self.degreesPerSemicircle)
        else { return dropped[.outOfRange, default: 0] += 1 }
        var fix = Fix(time: Self.time(seconds), coordinate: place, beginsSegment: beginsSegment)
        fix.kind = kind
        if let height = values.enhancedAltitude ?? values.altitude {
            let meters = Double(height) / 5 - 500
            if Fix.altitudes.contains(meters) { fix.altitude = .meters(meters) }
        }
        if let speed = values.enhancedSpeed ?? values.speed {
            let metersPerSecond = Double(speed) / 1000
            if Fix.speeds.contains(metersPerSecond) { fix.speed = .metersPerSecond(metersPerSecond) }
        }
        beginsSegment = false
        hasPoints = true
        items.append(.fix(fix))
    }

    /// The values of a message in the units of FIT.
    private struct Values {
        var time: Int64?
        var latitude: Int64?
        var longitude: Int64?
        var altitude: Int64?
        var enhancedAltitude: Int64?
        var speed: Int64?
        var enhancedSpeed: Int64?
        var event: Int64?
        var eventType: Int64?
        var sport: Int64?
        var start: Int64?

        mutating func set(_ meaning: FITDefinition.Meaning, _ value: Int64) {
            switch meaning {
            case .time: time = value
            case .latitude: latitude = value
            case .longitude: longitude = value
            case .altitude: altitude = value
            case .enhancedAltitude: enhancedAltitude = value
            case .speed: speed = value
            case .enhancedSpeed: enhancedSpeed = value
            case .event: event = value
            case .eventType: eventType = value
            case .sport: sport = value
            case .start: start = value
            }
        }
    }
}
