import Positioning

/// Where the directory of a ZIP archive lies, as the record at the end of the archive tells.
struct ZIPDirectory {
    private var count: Int64
    private var length: Int64
    private var offset: Int64
    /// The number of bytes before the archive, such as a program that unpacks it.
    private var shift: Int64 = 0

    /// The length of the record at the end without its comment, and the most bytes of the comment.
    private static let endLength = 22
    private static let maximumComment = 65_535
    /// The lengths of the two records of ZIP64 before it, without their extensions.
    private static let locatorLength = 20
    private static let end64Length = 56
    /// The length of a file's record in the directory without its name, its extensions and its comment.
    private static let entryLength = 46
    /// The value that says that ZIP64 has the number.
    private static let unknown32: Int64 = 0xFFFF_FFFF

    /// Finds the directory.
    init(_ source: ZIPSource) throws(RecordingError) {
        let tailLength = min(source.length, Int64(Self.endLength + Self.maximumComment + Self.locatorLength))
        let tailStart = source.length - tailLength
        let tail = try source.bytes(at: tailStart, count: Int(tailLength))
        guard let at = Self.end(in: tail) else {
            throw RecordingError("the archive has no directory at its end; it is cut off or is no ZIP archive")
        }
        let record = Array(tail[at...])
        count = Int64(record.zipNumber16(at: 10))
        length = record.zipNumber32(at: 12)
        offset = record.zipNumber32(at: 16)
        let isDivided = record.zipNumber16(at: 4) > 0 || record.zipNumber16(at: 6) > 0
        let locator = Array(tail[max(0, at - Self.locatorLength)..<at])
        if locator.starts(with: [0x50, 0x4B, 6, 7]) {
            guard let place = locator.zipNumber64(at: 8) else { throw Self.damage }
            let record = try source.bytes(at: place, count: Self.end64Length)
            guard record.starts(with: [0x50, 0x4B, 6, 6]), let count = record.zipNumber64(at: 32),
                let length = record.zipNumber64(at: 40), let offset = record.zipNumber64(at: 48)
            else { throw Self.damage }
            (self.count, self.length, self.offset) = (count, length, offset)
        } else {
            guard !isDivided else { throw RecordingError("the archive is a part of several; join them first") }
            let end = tailStart + Int64(at)
            guard length <= end, offset <= end - length else { throw Self.damage }
            shift = end - length - offset
        }
        guard count <= ZIPArchive.maximumEntries else { throw Self.tooManyEntries }
        guard count <= length / Int64(Self.entryLength) else { throw Self.damage }
        guard length <= ZIPArchive.maximumDirectoryLength else {
            throw RecordingError(
                "the directory of the archive is longer than \(ZIPArchive.maximumDirectoryLength >> 20) MiB; unpack it first"
            )
        }
    }

    private static let tooManyEntries = RecordingError(
        "the archive has more than \(ZIPArchive.maximumEntries) files; unpack it first")
    private static let damage = RecordingError("the directory of the archive is damaged; get it again")

    /// Returns the index of the record at the end: the last with a comment that ends within the archive.
    private static func end(in tail: [UInt8]) -> Int? {
        guard tail.count >= endLength else { return nil }
        for at in (0...tail.count - endLength).reversed() where tail[at] == 0x50 {
            guard tail[at...].starts(with: [0x50, 0x4B, 5, 6]) else { continue }
            if at + endLength + tail.zipNumber16(at: at + 20) <= tail.count { return at }
        }
        return nil
    }

    /// Reads the files of the directory.
    func entries(in source: ZIPSource) throws(RecordingError) -> [ZIPArchive.Entry] {
        let bytes = try source.bytes(at: offset + shift, count: Int(length))
        var entries: [ZIPArchive.Entry] = []
        entries.reserveCapacity(Int(count))
        var at = 0
        var (compressed, expanded): (Int64, Int64) = (0, 0)
        // Some programs write more files than the number at the end has room for.
        while entries.count < count || bytes[at...].starts(with: [0x50, 0x4B, 1, 2]) {
            guard entries.count < ZIPArchive.maximumEntries else { throw Self.tooManyEntries }
            guard bytes.count - at >= Self.entryLength else { throw Self.damage }
            let fixed = Array(bytes[at..<at + Self.entryLength])
            let (name, extra) = (fixed.zipNumber16(at: 28), fixed.zipNumber16(at: 30))
            let next = at + Self.entryLength + name + extra + fixed.zipNumber16(at: 32)
            guard fixed.starts(with: [0x50, 0x4B, 1, 2]), next <= bytes.count else { throw Self.damage }
            at += Self.entryLength
            let entry = try entry(
                fixed, name: bytes[at..<at + name], extra: Array(bytes[at + name..<at + name + extra]))
            guard entry.offset <= source.length, entry.compressedLength <= source.length - compressed else {
                throw RecordingError("the archive is damaged: its files overlap or lie beyond its end")
            }
            compressed += entry.compressedLength
            let (sum, isOverflow) = expanded.addingReportingOverflow(entry.length)
            guard !isOverflow, ExpansionBound().allows(sum, from: source.length) else {
                throw RecordingError("the archive is refused: \(ExpansionBound.error)")
            }
            expanded = sum
            entries.append(entry)
            at = next
        }
        guard (Int64(entries.count) - count).isMultiple(of: 0x1_0000) else { throw Self.damage }
        return entries
    }

    private func entry(
        _ fixed: [UInt8], name: ArraySlice<UInt8>, extra: [UInt8]
    ) throws(RecordingError) -> ZIPArchive.Entry {
        var compressed = fixed.zipNumber32(at: 20)
        var expanded = fixed.zipNumber32(at: 24)
        var start = fixed.zipNumber32(at: 42)
        if [compressed, expanded, start].contains(Self.unknown32) {
            // The extension has only those numbers that are unknown here, in this order.
            var at = Self.extension64(in: extra)
            for (number, set) in [(expanded, 0), (compressed, 1), (start, 2)] where number == Self.unknown32 {
                guard let place = at, place + 8 <= extra.count, let value = extra.zipNumber64(at: place) else {
                    throw Self.damage
                }
                switch set {
                case 0: expanded = value
                case 1: compressed = value
                default: start = value
                }
                at = place + 8
            }
        }
        let (offset, isOverflow) = start.addingReportingOverflow(shift)
        guard !isOverflow else { throw Self.damage }
        let method = fixed.zipNumber16(at: 10)
        return ZIPArchive.Entry(
            name: String(decoding: name, as: UTF8.self), length: expanded, compressedLength: compressed,
            obstacle: Self.obstacle(
                flags: fixed.zipNumber16(at: 8), method: method, length: expanded, compressedLength: compressed),
            checksum: UInt32(truncatingIfNeeded: fixed.zipNumber32(at: 16)), isDeflated: method == 8, offset: offset)
    }

    /// Returns the index of the numbers in the extension of ZIP64 (1) among the extensions of a file.
    private static func extension64(in extra: [UInt8]) -> Int? {
        var at = 0
        while at + 4 <= extra.count {
            if extra.zipNumber16(at: at) == 1 { return at + 4 }
            at += 4 + extra.zipNumber16(at: at + 2)
        }
        return nil
    }

    private static func obstacle(flags: Int, method: Int, length: Int64, compressedLength: Int64) -> String? {
        // The file, or its record, is encrypted in one of three ways.
        if flags & 0x2041 != 0 { return "it is encrypted; unpack the archive with its password first" }
        if method != 0, method != 8 { return "its method of compression (\(method)) is not supported; unpack it first" }
        return ExpansionBound().allows(length, from: compressedLength) ? nil : "\(ExpansionBound.error)"
    }
}
