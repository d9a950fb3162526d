/// A definition message of FIT: how the data messages of a local type are laid out.
///
/// Only the fields that matter for a way are kept; all others, and those of developers, count for the length alone.
struct FITDefinition {
    /// A kind of message that matters for a way, by its global number.
    enum Message {
        /// A measurement (20).
        case record
        /// Something that happened, such as a start of the timer (21).
        case event
        /// The sport that begins (12).
        case sport
        /// The summary of a sport that has ended (18).
        case session
        /// Any other, of which only the time matters.
        case other
    }

    /// What a field means.
    enum Meaning {
        case time, latitude, longitude, altitude, enhancedAltitude, speed, enhancedSpeed, event, eventType
        case sport, start
    }

    private struct Field {
        let meaning: Meaning
        let offset: Int
        let size: Int
        let isSigned: Bool
    }

    /// The kind of the messages.
    let message: Message
    /// The number of bytes of a data message after its header.
    ///
    /// At most 255 fields and 255 developer fields of 255 bytes each.
    let length: Int
    private let isBigEndian: Bool
    private let fields: [Field]

    /// The number of bytes before the fields of a definition message: header, reserved byte, byte order, global number
    /// and number of fields.
    static let fixedLength = 6
    /// The number of bytes that describe a field: its number, its size and its type.
    static let fieldLength = 3

    /// Returns the number of bytes of the definition message at the beginning of some bytes, as far as they show it.
    ///
    /// If it is more than there are, more bytes may show that it is still more.
    static func length(_ bytes: ArraySlice<UInt8>) -> Int {
        let start = bytes.startIndex
        guard bytes.count >= fixedLength else { return fixedLength }
        let length = fixedLength + Int(bytes[start + 5]) * fieldLength
        guard bytes[start] & 0x20 != 0 else { return length }
        guard bytes.count > length else { return length + 1 }
        return length + 1 + Int(bytes[start + length]) * fieldLength
    }

    /// Reads a complete definition message, of as many bytes as ``length(_:)`` says.
    ///
    /// The result is `nil` if the byte order is unknown.
    init?(_ bytes: ArraySlice<UInt8>) {
        let start = bytes.startIndex
        guard bytes.count >= Self.fixedLength, bytes[start + 2] <= 1 else { return nil }
        isBigEndian = bytes[start + 2] == 1
        let (first, second) = (UInt16(bytes[start + 3]), UInt16(bytes[start + 4]))
        let number = isBigEndian ? first << 8 | second : second << 8 | first
        message =
            switch number {
            case 12: .sport
            case 18: .session
            case 20: .record
            case 21: .event
            default: .other
            }
        let count = Int(bytes[start + 5])
        var offset = 0
        var fields: [Field] = []
        var at = start + Self.fixedLength
        for _ in 0..<count {
            guard bytes.endIndex - at >= Self.fieldLength else { return nil }
            let size = Int(bytes[at + 1])
            if let meaning = Self.meaning(of: bytes[at], in: message),
                let isSigned = Self.isSigned(type: bytes[at + 2], size: size)
            {
                fields.append(Field(meaning: meaning, offset: offset, size: size, isSigned: isSigned))
            }
            offset += size
            at += Self.fieldLength
        }
        if bytes[start] & 0x20 != 0, at < bytes.endIndex {
            let developers = Int(bytes[at])
            at += 1
            for _ in 0..<developers {
                guard bytes.endIndex - at >= Self.fieldLength else { return nil }
                offset += Int(bytes[at + 1])
                at += Self.fieldLength
            }
        }
        length = offset
        self.fields = fields
    }

    /// Passes the valid values of a data message without its header, which has ``length`` bytes.
    func forEachValue(in bytes: ArraySlice<UInt8>, _ body: (Meaning, Int64) -> Void) {
        for field in fields {
            let start = bytes.startIndex + field.offset
            guard start + field.size <= bytes.endIndex else { continue }
            if let value = value(bytes[start..<start + field.size], isSigned: field.isSigned) {
                body(field.meaning, value)
            }
        }
    }

    /// Returns an integer of at most four bytes; `nil` if it is the greatest of its type, which means that it is unknown.
    private func value(_ bytes: ArraySlice<UInt8>, isSigned: Bool) -> Int64? {
        var value: Int64 = 0
        if isBigEndian {
            for byte in bytes { value = value << 8 | Int64(byte) }
        } else {
            for byte in bytes.reversed() { value = value << 8 | Int64(byte) }
        }
        let range: Int64 = 1 << Int64(8 * bytes.count)
        guard value != (isSigned ? range / 2 : range) - 1 else { return nil }
        return isSigned && value >= range / 2 ? value - range : value
    }

    private static func meaning(of number: UInt8, in message: Message) -> Meaning? {
        switch (message, number) {
        case (_, 253): .time
        case (.record, 0): .latitude
        case (.record, 1): .longitude
        case (.record, 2): .altitude
        case (.record, 6): .speed
        case (.record, 73): .enhancedSpeed
        case (.record, 78): .enhancedAltitude
        case (.event, 0): .event
        case (.event, 1): .eventType
        case (.sport, 0), (.session, 5): .sport
        case (.session, 2): .start
        default: nil
        }
    }

    /// Returns whether an integer of a base type is signed.
    ///
    /// Returns `nil` for other types, and for a size that is not that of one integer.
    private static func isSigned(type: UInt8, size: Int) -> Bool? {
        switch (type & 0x1F, size) {
        case (0x01, 1), (0x03, 2), (0x05, 4): true
        // An enumeration and the integers without a sign.
        case (0x00, 1), (0x02, 1), (0x04, 2), (0x06, 4): false
        default: nil
        }
    }
}
