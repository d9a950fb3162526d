public import Positioning
internal import TextCoding

/// What the content of a file is, as far as its first bytes tell.
public enum HistorySignature: Hashable, Sendable {
    /// JSON of any kind; which one, ``JSONHistory`` tells.
    case json
    /// A history of one kind.
    case history(HistoryFormat)
    /// A ZIP archive, which may be a KMZ.
    case zip
    /// A file compressed by gzip.
    case gzip
    /// A recording of a receiver in NMEA 0183, which is read as a recording and not here.
    case nmea

    /// The number of first bytes that are enough to tell; a longer prolog of XML is none of a history.
    public static let enough = 16 * 1024

    /// Tells what a file is from its first bytes: ``enough`` of them, or all that it has.
    ///
    /// The file's name does not matter. XML and text may be UTF-8 or have a byte-order mark.
    ///
    /// - Throws: `RecordingError` that says what the file is instead, if it is known, and which histories are known.
    /// - Complexity: O(*n*) for *n* bytes.
    public init(_ bytes: Span<UInt8>) throws(RecordingError) {
        var first: [UInt8] = []
        for index in 0..<min(Self.enough, bytes.count) { first.append(bytes[index]) }
        guard let found = Self.binary(first) ?? Self.text(first) else { throw Self.refusal(first) }
        self = found
    }

    private static func binary(_ first: [UInt8]) -> HistorySignature? {
        if first.starts(with: [0x1F, 0x8B]) { return .gzip }
        if first.starts(with: "PK\u{3}\u{4}".utf8) || first.starts(with: "PK\u{5}\u{6}".utf8) { return .zip }
        // A FIT file has the length of its header first, and this mark in it.
        if first.count >= 12, first[8..<12].elementsEqual(".FIT".utf8) { return .history(.fit) }
        return nil
    }

    private static func text(_ first: [UInt8]) -> HistorySignature? {
        var transcoder = UnicodeTranscoder()
        var text: [UInt8] = []
        transcoder.feed(first.span, into: &text)
        transcoder.finish(into: &text)
        let visible = text.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
        guard let byte = visible.first else { return nil }
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            return .json
        case UInt8(ascii: "<"):
            switch XMLRoot.name(visible) {
            case "gpx": return .history(.gpx)
            case "kml": return .history(.kml)
            case "TrainingCenterDatabase": return .history(.tcx)
            default: return nil
            }
        default:
            let line = visible.prefix { $0 != 0x0A && $0 != 0x0D }
            if CSVColumns.areNamed(in: line) { return .history(.csv) }
            if isSentence(line) { return .nmea }
            if isFlightLog(visible) { return .history(.igc) }
            return hasMessages(visible) ? .history(.ownTracksRecorder) : nil
        }
    }

    /// Returns whether a text has a line with a message as an OwnTracks Recorder writes it; the first may be damaged.
    private static func hasMessages(_ text: ArraySlice<UInt8>) -> Bool {
        text.split { $0 == 0x0A }.contains {
            OwnTracksRecorderHistory.begins($0) && $0.contains(UInt8(ascii: "{"))
        }
    }

    /// Returns whether a line begins as a sentence of NMEA 0183 does: `$GPRMC,`.
    private static func isSentence(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.first == UInt8(ascii: "$") || line.first == UInt8(ascii: "!") else { return false }
        let address = line.dropFirst().prefix { $0 != UInt8(ascii: ",") }
        return (5...8).contains(address.count)
            && address.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
    }

    /// Returns whether a text is a flight log: the record `A` of its recorder first, and a header record in it.
    private static func isFlightLog(_ text: ArraySlice<UInt8>) -> Bool {
        let lines = text.split { $0 == 0x0A || $0 == 0x0D }
        guard let first = lines.first?.first, first == UInt8(ascii: "A") || first == UInt8(ascii: "H") else {
            return false
        }
        return lines.contains { $0.starts(with: "HFDTE".utf8) || isPosition($0) }
    }

    /// Returns whether a line is a position: `B`, six digits of the time, seven of the latitude, `N` or `S`.
    private static func isPosition(_ line: ArraySlice<UInt8>) -> Bool {
        let head = Array(line.prefix(15))
        return head.count == 15 && head[0] == UInt8(ascii: "B") && head[1..<14].allSatisfy { $0 &- 0x30 <= 9 }
            && (head[14] == UInt8(ascii: "N") || head[14] == UInt8(ascii: "S"))
    }
}

extension HistorySignature {
    /// The first bytes of files that people take for a history.
    private static let others: [([UInt8], String)] = [
        ([0x89, 0x50, 0x4E, 0x47], "a PNG image"), ([0xFF, 0xD8, 0xFF], "a JPEG image"),
        (Array("GIF8".utf8), "a GIF image"), (Array("%PDF".utf8), "a PDF document"),
        (Array("SQLite format 3".utf8), "an SQLite database"), (Array("BZh".utf8), "a bzip2 archive"),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "an xz archive"), ([0x28, 0xB5, 0x2F, 0xFD], "a zstd archive"),
        ([0x37, 0x7A, 0xBC, 0xAF], "a 7z archive"), (Array("Rar!".utf8), "a RAR archive"),
        ([0x7F, 0x45, 0x4C, 0x46], "a program"),
    ]

    private static func refusal(_ first: [UInt8]) -> RecordingError {
        let visible = first.drop { $0 == 0x20 || (0x09...0x0D).contains($0) || [0xEF, 0xBB, 0xBF].contains($0) }
        let what: String
        if visible.isEmpty {
            what = "the file is empty"
        } else if let other = others.first(where: { first.starts(with: $0.0) })?.1 {
            what = "the file is \(other), not a location history"
        } else if visible.first == UInt8(ascii: "<") {
            let root =
                XMLRoot.name(visible).map { ", whose root element is \"\(ControlCharacters.replaced($0))\"" } ?? ""
            what = "the file is a web page or other XML\(root), not a location history"
        } else if visible.prefix(512).contains(0) {
            what = "the file is binary, and no location history that is known"
        } else {
            let line = visible.prefix { $0 != 0x0A && $0 != 0x0D }.prefix(80)
            what =
                "the file is no location history that is known, nor a table whose first line names columns for time, "
                + "latitude and longitude; it begins with \"\(shown(line))\""
        }
        return RecordingError("\(what); known are \(HistoryFormat.list), alone, in .gz or in .zip")
    }

    /// Returns a text without what would steer a terminal.
    private static func shown(_ bytes: ArraySlice<UInt8>) -> String {
        ControlCharacters.replaced(String(decoding: bytes, as: UTF8.self))
    }
}

/// Finds the root element at the beginning of an XML document, without reading the document.
enum XMLRoot {
    /// The longest name that is returned.
    private static let longest = 64

    /// Returns the name of the root element without its prefix; `nil` if there is none.
    ///
    /// The XML declaration, comments and a document type are skipped, also one that declares entities.
    static func name(_ text: ArraySlice<UInt8>) -> String? {
        var rest = text
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[(start + 1)...]
            guard let first = rest.first else { return nil }
            if first == UInt8(ascii: "?") {
                skip(&rest, behind: "?>")
            } else if rest.starts(with: "!--".utf8) {
                skip(&rest, behind: "-->")
            } else if first == UInt8(ascii: "!") {
                skipDocumentType(&rest)
            } else {
                let ends = Set(" \t\r\n/>".utf8)
                let name = rest.prefix(longest).prefix { !ends.contains($0) }
                let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
                return String(decoding: local, as: UTF8.self)
            }
        }
        return nil
    }

    private static func skip(_ rest: inout ArraySlice<UInt8>, behind mark: StaticString) {
        let mark = Array(mark.description.utf8)
        while !rest.isEmpty, !rest.starts(with: mark) { rest = rest.dropFirst() }
        rest = rest.dropFirst(mark.count)
    }

    /// Skips a document type, whose declarations stand in brackets.
    private static func skipDocumentType(_ rest: inout ArraySlice<UInt8>) {
        var depth = 0
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ">") where depth <= 0: return
            default: break
            }
        }
    }
}
