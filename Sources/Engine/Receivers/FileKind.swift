/// A kind of file that people take for a recording, recognised by its first bytes, with the way to a readable one.
public struct FileKind: Equatable, Sendable {
    /// What it is, with an article.
    public let name: String
    /// What to do instead, as a clause.
    public let remedy: String

    /// The words for a refusal: `this is neither GPX nor NMEA, but a gzip archive; unpack it first …`.
    public var words: String { "this is neither GPX nor NMEA, but \(name); \(remedy)" }

    /// GeoJSON, of which `sight import` reads points.
    public static let geoJSON = FileKind(
        name: "GeoJSON", remedy: "save the recording as GPX; only sights are read from GeoJSON")

    /// Recognises a file that is neither text nor XML that Waymark reads; `nil` if it is not a known one.
    public init?(_ beginning: Span<UInt8>) {
        var first: [UInt8] = []
        for index in 0..<min(4096, beginning.count) { first.append(beginning[index]) }
        if let known = Self.signatures.first(where: { first.dropFirst($0.offset).starts(with: $0.bytes) }) {
            self = known.kind
            return
        }
        let text = String(decoding: first, as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        if text.first == "{" || text.first == "[" {
            guard let kind = Self.json(text) else { return nil }
            self = kind
        } else if text.hasPrefix("A"), text.contains("HFDTE") {
            self = Self.converted("an IGC file of a glider's logger", "igc")
        } else {
            return nil
        }
    }

    private init(name: String, remedy: String) { (self.name, self.remedy) = (name, remedy) }

    private static func json(_ text: Substring) -> FileKind? {
        func has(_ names: String...) -> Bool { names.contains { text.contains("\"\($0)\"") } }
        // gpsd's own lines may precede sentences in a log.
        if has("class") { return nil }
        if has("semanticSegments", "rawSignals", "timelineObjects", "timelinePath", "latitudeE7")
            || (text.first == "[" && has("startTime", "endTime"))
        {
            return FileKind(
                name: "a location history of Google (Timeline.json, Records.json)",
                remedy: "convert it to GPX first; converters for it are free")
        }
        if has("FeatureCollection", "Feature") { return geoJSON }
        return FileKind(name: "JSON", remedy: "save the recording as GPX or NMEA first")
    }

    private static func converted(_ name: String, _ format: String) -> FileKind {
        FileKind(
            name: name,
            remedy: "convert it to GPX first, for example: gpsbabel -t -i \(format) -f FILE -o gpx -F FILE.gpx")
    }

    private static func packed(_ name: String, _ program: String) -> FileKind {
        FileKind(name: name, remedy: "unpack it first with \(program), and use the recording in it")
    }

    private static let signatures: [(bytes: [UInt8], offset: Int, kind: FileKind)] = [
        (Array(".FIT".utf8), 8, converted("a FIT file of a sports watch or bike computer", "garmin_fit")),
        (Array("PK\u{3}\u{4}".utf8), 0, packed("a ZIP archive (or KMZ)", "unzip")),
        ([0x1F, 0x8B], 0, packed("a gzip archive", "gunzip")),
        (Array("BZh".utf8), 0, packed("a bzip2 archive", "bunzip2")),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A], 0, packed("an xz archive", "unxz")),
        ([0x28, 0xB5, 0x2F, 0xFD], 0, packed("a Zstandard archive", "unzstd")),
        ([0x37, 0x7A, 0xBC, 0xAF], 0, packed("a 7-Zip archive", "7z x")),
        (Array("Rar!".utf8), 0, packed("a RAR archive", "unrar")),
        ([0xB5, 0x62], 0, converted("a binary log of a u-blox receiver", "ubx")),
        (Array("%PDF".utf8), 0, FileKind(name: "a PDF document", remedy: "it holds no recording")),
        (
            Array("SQLite format 3".utf8), 0,
            FileKind(name: "an SQLite database", remedy: "a store of Waymark is given with --store")
        ),
        ([0x89, 0x50, 0x4E, 0x47], 0, FileKind(name: "a PNG image", remedy: "it holds no recording")),
        ([0xFF, 0xD8, 0xFF], 0, FileKind(name: "a JPEG image", remedy: "it holds no recording")),
    ]
}
