import Geodesy
import TextCoding

/// Reads and writes well-known text (OGC 06-103r4, section 7), longitude first.
public enum WKT {
    /// The most bytes of a text; 100,000 positions of 9 decimals fit twice.
    public static let maximumLength = 8 * 1024 * 1024

    /// Reads `POINT`, `LINESTRING`, `MULTILINESTRING`, `POLYGON` or `MULTIPOLYGON`.
    ///
    /// Letters may be small, `Z`, `M` and `ZM` and the numbers for them are ignored, and so is `SRID=4326;` before it.
    ///
    /// - Complexity: O(*n*) for *n* bytes.
    /// - Throws: a ``ShapeError`` that names the byte.
    public static func geometry(from text: String) throws(ShapeError) -> RawGeometry {
        var scanner = WKTScanner(Array(text.utf8))
        guard text.utf8.count <= maximumLength else {
            throw ShapeError("the text is longer than \(maximumLength / 1_048_576) MiB")
        }
        try scanner.skipReference()
        let start = scanner.at
        let type = scanner.word()
        if ["Z", "M", "ZM"].contains(scanner.peekWord()) { _ = scanner.word() }
        guard scanner.peekWord() != "EMPTY" else { throw scanner.error("the \(type) is empty") }
        let geometry: RawGeometry
        switch type.last == "Z" ? String(type.dropLast()) : type {
        case "POINT": geometry = .point(try scanner.list { scanner throws(ShapeError) in try scanner.position() }[0])
        case "LINESTRING": geometry = .lines([try scanner.positions()])
        case "MULTILINESTRING":
            geometry = .lines(try scanner.list { scanner throws(ShapeError) in try scanner.positions() })
        case "POLYGON": geometry = .polygons([try scanner.rings()])
        case "MULTIPOLYGON":
            geometry = .polygons(try scanner.list { scanner throws(ShapeError) in try scanner.rings() })
        default:
            throw scanner.error(
                "\"\(type.prefix(40))\" is not one of POINT, LINESTRING, MULTILINESTRING, POLYGON, MULTIPOLYGON",
                at: start)
        }
        guard scanner.peek() == nil else { throw scanner.error("the text goes on after the geometry") }
        return geometry
    }

    /// Returns the geometry of a shape as text; the radius is not part of it.
    ///
    /// Edges still take the shorter way: a reader that does not know that must cut a shape over the antimeridian.
    public static func text(_ shape: Shape) -> String {
        var bytes: [UInt8] = []
        func put(_ text: String) { bytes.append(contentsOf: text.utf8) }
        func list<Element>(_ elements: [Element], _ body: (Element) -> Void) {
            put("(")
            for (index, element) in elements.enumerated() {
                if index > 0 { put(", ") }
                body(element)
            }
            put(")")
        }
        func position(_ place: Coordinate) {
            DecimalText.append(unscaled: Int64(place.longitudeE7), decimals: 7, to: &bytes)
            put(" ")
            DecimalText.append(unscaled: Int64(place.latitudeE7), decimals: 7, to: &bytes)
        }
        func positions(_ places: [Coordinate]) { list(places, position) }
        let lists = shape.parts.compactMap(\.first)
        switch shape.kind {
        case .circle:
            put("POINT ")
            if let center = lists.first { positions(center) }
        case .corridor where lists.count == 1:
            put("LINESTRING ")
            positions(lists[0])
        case .corridor:
            put("MULTILINESTRING ")
            list(lists, positions)
        case .polygon where shape.parts.count == 1:
            put("POLYGON ")
            list(shape.parts[0], positions)
        case .polygon:
            put("MULTIPOLYGON ")
            list(shape.parts) { list($0, positions) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Reads well-known text from the front.
private struct WKTScanner {
    private let bytes: [UInt8]
    private(set) var at = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func error(_ reason: String) -> ShapeError { error(reason, at: at) }

    func error(_ reason: String, at place: Int) -> ShapeError {
        ShapeError("\(reason) (at byte \(place + 1) of the WKT)")
    }

    /// The next byte that is not white space.
    mutating func peek() -> UInt8? {
        while at < bytes.count, bytes[at] == 0x20 || (0x09...0x0D).contains(bytes[at]) { at += 1 }
        return at < bytes.count ? bytes[at] : nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }

    /// Reads the letters that come next, as capitals.
    mutating func word() -> String {
        guard peek() != nil else { return "" }
        let letters = bytes[at...].prefix(while: Self.isLetter)
        at += letters.count
        return String(decoding: letters.map { $0 & 0xDF }, as: UTF8.self)
    }

    mutating func peekWord() -> String {
        let start = at
        defer { at = start }
        return word()
    }

    /// Skips `SRID=4326;`.
    mutating func skipReference() throws(ShapeError) {
        guard peekWord() == "SRID" else { return }
        let end = bytes[at...].firstIndex(of: UInt8(ascii: ";")) ?? bytes.count
        let number = bytes[at..<end].filter { (0x30...0x39).contains($0) }
        guard number == Array("4326".utf8), end < bytes.count else {
            throw error("only SRID=4326, degrees of WGS 84, can be read; convert the geometry")
        }
        at = end + 1
    }

    private mutating func consume(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        at += 1
        return true
    }

    private mutating func expect(_ byte: UInt8) throws(ShapeError) {
        guard consume(byte) else { throw error("\"\(Unicode.Scalar(byte))\" must follow") }
    }

    mutating func list<Element>(
        _ element: (inout WKTScanner) throws(ShapeError) -> Element
    ) throws(ShapeError) -> [Element] {
        try expect(UInt8(ascii: "("))
        var elements: [Element] = []
        repeat { elements.append(try element(&self)) } while consume(UInt8(ascii: ","))
        try expect(UInt8(ascii: ")"))
        return elements
    }

    mutating func positions() throws(ShapeError) -> [RawPosition] {
        try list { scanner throws(ShapeError) in try scanner.position() }
    }

    mutating func rings() throws(ShapeError) -> [[RawPosition]] {
        try list { scanner throws(ShapeError) in try scanner.positions() }
    }

    /// Reads two to four numbers, of which the first two count.
    mutating func position() throws(ShapeError) -> RawPosition {
        let longitude = try number()
        let latitude = try number()
        var count = 2
        while count < 4, let next = peek(), next != UInt8(ascii: ","), next != UInt8(ascii: ")") {
            _ = try number()
            count += 1
        }
        return RawPosition(longitude: longitude, latitude: latitude)
    }

    private mutating func number() throws(ShapeError) -> Double {
        _ = peek()
        let start = at
        let token = bytes[at...].prefix { byte in
            (0x30...0x39).contains(byte) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(byte)
        }
        guard let number = DecimalText.parse(String(decoding: token, as: UTF8.self)) else {
            throw error("a number must follow", at: start)
        }
        at += token.count
        return number
    }
}
