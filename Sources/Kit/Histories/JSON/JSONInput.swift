internal import Positioning

/// Feeds the pieces of a JSON text to a scanner, and keeps what a piece's end has cut.
struct JSONInput {
    private var scanner = JSONScanner()
    /// The beginning of a name, text, number or literal that the last piece has cut.
    private var carry: [UInt8] = []
    /// The number of bytes before the carry.
    private var offset = 0
    /// The length of the carry at which it is scanned again, which doubles so that the time stays linear.
    private var scanAt = 0

    /// The bytes that are added to the carry at a time: few, because most tokens are short.
    private static let firstStep = 256

    /// Scans a piece.
    mutating func feed<Sink: JSONSink>(_ bytes: Span<UInt8>, into sink: inout Sink) throws(RecordingError) {
        var at = 0
        if !carry.isEmpty {
            guard let next = try joinCarry(bytes, into: &sink) else { return }
            at = next
        }
        let used = try scanner.scan(bytes, from: at, offset: offset, into: &sink)
        offset += used
        for index in used..<bytes.count { carry.append(bytes[index]) }
        scanAt = 2 * carry.count
    }

    /// Ends the text.
    ///
    /// - Throws: `RecordingError` if the text is not complete.
    mutating func finish<Sink: JSONSink>(into sink: inout Sink) throws(RecordingError) {
        let length = offset + carry.count
        // A number is complete only when something follows it, and a blank does no harm elsewhere.
        var text = carry
        text.append(0x20)
        carry = []
        offset += try scanner.scan(text.span, from: 0, offset: offset, into: &sink)
        try scanner.finish(length: length)
    }

    /// Scans the carry with the beginning of a piece behind it.
    ///
    /// Returns the index in the piece from which on it must be scanned, or `nil` if the carry has taken all of it.
    /// Afterwards the offset is that of the piece.
    private mutating func joinCarry<Sink: JSONSink>(
        _ bytes: Span<UInt8>, into sink: inout Sink
    ) throws(RecordingError) -> Int? {
        // Swapped out, so that the scanner can change while it reads it.
        var text: [UInt8] = []
        swap(&text, &carry)
        var taken = 0
        while taken < bytes.count {
            let step = min(max(Self.firstStep, text.count), bytes.count - taken)
            for index in taken..<taken + step { text.append(bytes[index]) }
            taken += step
            guard text.count >= scanAt else { continue }
            let before = text.count - taken
            let used = try scanner.scan(text.span, from: 0, offset: offset, into: &sink)
            if used >= before {
                offset += before
                text.removeAll(keepingCapacity: true)
                swap(&text, &carry)
                return used - before
            }
            text.removeFirst(used)
            offset += used
            scanAt = 2 * text.count
        }
        swap(&text, &carry)
        return nil
    }
}
