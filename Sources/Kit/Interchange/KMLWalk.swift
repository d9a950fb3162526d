import Positioning

/// Takes the elements of a KML document, in the order in which they begin and end.
protocol KMLTaker {
    /// Takes the beginning of an element.
    ///
    /// - Parameter dataName: The name of a piece of extended data; `nil` for any other element.
    mutating func begin(_ element: String, dataName: String?)

    /// Takes the end of an element within others, with its text.
    mutating func end(
        _ element: String, of parent: String?, under grandparent: String?, _ text: String
    ) throws(RecordingError)
}

extension KMLReader {
    /// The length in bytes after which no more text of an element is kept, but that of coordinates.
    private static let longestText = 256 * 1024

    /// Passes the elements of a document to `taker`.
    ///
    /// The time is linear in the length of the document.
    ///
    /// - Throws: ``RecordingError``, with a line where it is known, if the document is damaged, is not KML or is too
    ///   long, or what the taker throws.
    static func walk(_ bytes: [UInt8], into taker: inout some KMLTaker) throws(RecordingError) {
        guard bytes.count <= maximumLength else {
            throw RecordingError("the text is longer than \(maximumLength / 1_048_576) MiB; split it")
        }
        if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
            throw RecordingError("this is a ZIP archive, such as KMZ; unpack it first")
        }
        var pieces = try XMLPull(bytes)
        var path: [String] = []
        var text = ""
        while let piece = try pieces.next() {
            switch piece {
            case .begin(let name):
                guard !path.isEmpty || name == "kml" else {
                    throw RecordingError("not KML: the root element is <\(name.prefix(64))>, not <kml>")
                }
                let isData = name == "Data" || name == "SimpleData"
                taker.begin(name, dataName: isData ? pieces.attribute("name") : nil)
                path.append(name)
                text = ""
            case .text(let more): if text.utf8.count < longestText || path.last == "coordinates" { text += more }
            case .end(let name):
                _ = path.popLast()
                try taker.end(name, of: path.last, under: path.dropLast().last, text)
                text = ""
            }
        }
    }
}
