public import Positioning

/// Reads a file of a ZIP archive in pieces.
///
/// The checksum and the length are checked at its end, when its bytes have been handed out: take nothing for sound
/// before ``next()`` has returned `nil`.
public struct ZIPEntryReader {
    private let entry: ZIPArchive.Entry
    private let source: ZIPSource
    private let inflater: Inflater?
    /// Where the next compressed bytes are, and how many are left.
    private var offset: Int64
    private var left: Int64
    /// The compressed bytes that were read and not used.
    private var input: [UInt8] = []
    private var used = 0
    private var length: Int64 = 0
    private var checksum = CRC32()
    private var hasEnded = false

    /// The length of the record before a file without its name and its extensions.
    private static let headerLength = 30

    init(_ entry: ZIPArchive.Entry, in source: ZIPSource) throws(RecordingError) {
        if let obstacle = entry.obstacle { throw RecordingError(obstacle) }
        let header = try source.bytes(at: entry.offset, count: Self.headerLength)
        guard header.starts(with: [0x50, 0x4B, 3, 4]) else {
            throw RecordingError("the archive is damaged: a file does not begin where its directory says; get it again")
        }
        self.entry = entry
        self.source = source
        inflater = entry.isDeflated ? Inflater(.bare, expecting: entry.length) : nil
        // A sum beyond the greatest number becomes negative, which the source refuses.
        offset = entry.offset &+ Int64(Self.headerLength + header.zipNumber16(at: 26) + header.zipNumber16(at: 28))
        left = entry.compressedLength
    }

    /// Returns the next piece, of at most 64 KiB; `nil` at the end of the file.
    ///
    /// - Throws: `RecordingError` if the file is damaged, and what the archive's source throws.
    public mutating func next() throws(RecordingError) -> [UInt8]? {
        var output: [UInt8] = []
        while output.isEmpty {
            guard !hasEnded else { return nil }
            if used == input.count { try readInput() }
            if let inflater {
                let step = try inflater.step(input.span.extracting(droppingFirst: used), into: &output)
                used += step.used
                hasEnded = step.isAtEnd
                if !hasEnded, step.used == 0, output.isEmpty, left == 0 {
                    throw RecordingError("the compressed bytes of a file are cut off; get the archive again")
                }
            } else {
                swap(&output, &input)
                input = []
                hasEnded = left == 0
            }
            length += Int64(output.count)
            guard length <= entry.length else { throw Self.wrongLength }
            checksum.add(output)
            if hasEnded { try check() }
        }
        return output
    }

    private mutating func readInput() throws(RecordingError) {
        let count = Int(min(left, Int64(Inflater.pieceLength)))
        input = count > 0 ? try source.bytes(at: offset, count: count) : []
        used = 0
        offset += Int64(count)
        left -= Int64(count)
    }

    private static let wrongLength = RecordingError(
        "a file has another length than the archive's directory says; get the archive again")

    private func check() throws(RecordingError) {
        guard length == entry.length, left == 0, used == input.count else { throw Self.wrongLength }
        guard checksum.value == entry.checksum else {
            throw RecordingError("the checksum of a file is wrong; get the archive again")
        }
    }
}
