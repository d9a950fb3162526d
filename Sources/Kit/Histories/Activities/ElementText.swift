import Geodesy
import Positioning
import TextCoding
import Time

/// The text of an element, of which a bounded part is kept.
struct ElementText {
    /// The most bytes that are kept: more than a time, a place or a name needs.
    static let maximumLength = 1024

    private(set) var bytes: [UInt8] = []

    /// Removes the text.
    mutating func clear() { bytes.removeAll(keepingCapacity: true) }

    /// Appends a part of a text.
    mutating func append(_ part: ArraySlice<UInt8>) {
        bytes.append(contentsOf: part.prefix(Self.maximumLength - bytes.count))
    }

    /// Whether the text has nothing but white space.
    var isBlank: Bool { bytes.allSatisfy(Self.isSpace) }

    /// The text without white space around it; `nil` if it is blank.
    var string: String? { trimmed.map { String(decoding: $0, as: UTF8.self) } }

    /// The time of the text, or why it is none.
    var time: TimeOrReason {
        if let time = Timestamp(rfc3339: bytes.span) { return .time(time) }
        return .reason(isBlank ? .noTime : .unreadable)
    }

    /// The number of the text; `nil` if it is none.
    var number: Double? { DecimalText.parse(String(decoding: bytes, as: UTF8.self)) }

    /// The numbers of the text that blanks or commas separate; the fourth is the rest.
    var numbers: [ArraySlice<UInt8>] {
        bytes.split(maxSplits: 3, whereSeparator: { Self.isSpace($0) || $0 == UInt8(ascii: ",") })
    }

    /// The text without white space around it; `nil` if it is blank.
    private var trimmed: ArraySlice<UInt8>? {
        guard let first = bytes.firstIndex(where: { !Self.isSpace($0) }),
            let last = bytes.lastIndex(where: { !Self.isSpace($0) })
        else { return nil }
        return bytes[first...last]
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

/// A time, or why there is none.
enum TimeOrReason: Hashable {
    case time(Timestamp)
    case reason(DroppedPoint)
}

/// A place, or why there is none.
enum PlaceOrReason: Hashable {
    case place(Coordinate)
    case reason(DroppedPoint)

    /// The place of two numbers as text, in degrees.
    init(latitude: String?, longitude: String?) {
        guard let latitude, let longitude else {
            self = .reason(.noPosition)
            return
        }
        guard let north = DecimalText.parse(latitude), let east = DecimalText.parse(longitude) else {
            let isNumber = !Self.isNotANumber(latitude) && !Self.isNotANumber(longitude)
            self = .reason(isNumber ? .unreadable : .notANumber)
            return
        }
        self = Coordinate(latitude: north, longitude: east).map(Self.place) ?? .reason(.outOfRange)
    }

    private static func isNotANumber(_ text: String) -> Bool {
        let letters = text.lowercased().drop { $0 == "-" || $0 == "+" }
        return letters == "nan" || letters.hasPrefix("inf")
    }
}
