/// The format of a file, as far as its first bytes show it.
struct FileSignature {
    /// The format with an article, if the file is certainly not XML.
    let otherFormat: String?
    /// Whether a byte-order mark shows code units of two or four bytes.
    let isWide: Bool

    /// The first bytes of formats that people mistake for GPX, with their names.
    private static let formats: [([UInt8], String)] = [
        ([0x89, 0x50, 0x4E, 0x47], "a PNG image"), ([0xFF, 0xD8, 0xFF], "a JPEG image"),
        (Array("PK\u{3}\u{4}".utf8), "a ZIP archive (or KMZ)"), ([0x1F, 0x8B], "a gzip archive"),
        (Array("BZh".utf8), "a bzip2 archive"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "an xz archive"),
        (Array("%PDF".utf8), "a PDF document"), (Array("SQLite format 3".utf8), "an SQLite database"),
        (Array("{".utf8), "JSON"), (Array("[".utf8), "JSON"), (Array("$".utf8), "NMEA 0183"),
        (Array("!".utf8), "NMEA 0183"),
    ]

    /// The encodings of `<` without a byte-order mark: in one, two or four bytes, and `<?xm` in EBCDIC.
    private static let beginningsOfXML: [[UInt8]] = [[0x3C], [0, 0x3C], [0, 0, 0, 0x3C], [0x4C, 0x6F, 0xA7, 0x94]]

    /// Inspects the first bytes of a file, at most 16.
    init(_ bytes: Span<UInt8>) {
        var first: [UInt8] = []
        for index in 0..<min(16, bytes.count) { first.append(bytes[index]) }
        isWide = [[0xFE, 0xFF], [0xFF, 0xFE], [0, 0, 0xFE, 0xFF]].contains { first.starts(with: $0) }
        let text = first.starts(with: [0xEF, 0xBB, 0xBF]) ? first[3...] : first[...]
        let visible = text.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
        if isWide || visible.isEmpty || Self.beginningsOfXML.contains(where: { visible.starts(with: $0) }) {
            otherFormat = nil
        } else {
            otherFormat =
                Self.formats.first { first.starts(with: $0.0) || visible.starts(with: $0.0) }?.1 ?? "something else"
        }
    }
}
