/// A QR code of a text: byte mode, error correction level M, versions 1 to 20.
///
/// Level M repairs some 15 % of the modules. The version is the smallest that holds the text, and the mask is the one
/// of least penalty.
///
/// - SeeAlso: ISO/IEC 18004:2015.
public struct QRCode: Sendable, Equatable {
    /// The longest text, in bytes of UTF-8: what version 20 holds.
    ///
    /// A link that configures an app has some 350.
    public static let maximumLength = 666
    /// The width of the light border that a reader needs on each side, in modules.
    public static let quietZone = 4

    /// The number of modules on each side: 21 to 97.
    public let size: Int
    /// The modules row by row; `true` is dark.
    private let modules: [Bool]

    /// Encodes a text; returns `nil` if it is longer than ``maximumLength``.
    ///
    /// - Complexity: O(*m*) for a code of *m* modules, which are at most 9,409.
    public init?(_ text: String) { self.init(text, mask: nil) }

    /// Encodes a text with a mask from 0 to 7, for tests; `nil` chooses the best.
    package init?(_ text: String, mask: Int?) {
        let bytes = Array(text.utf8)
        guard let version = QRVersion.smallest(holding: bytes.count), mask.map((0...7).contains) ?? true else {
            return nil
        }
        let codewords = version.interleaved(version.dataCodewords(of: bytes))
        let masks = mask.map { [$0] } ?? Array(0...7)
        let symbols = masks.map { QRSymbol(version: version, codewords: codewords, mask: $0) }
        guard let best = symbols.min(by: { $0.penalty < $1.penalty }) else { return nil }
        size = version.size
        modules = best.modules
    }

    /// Whether the module at a row and a column, counted from 0 at the top left, is dark.
    ///
    /// Outside of the code all modules are light.
    public subscript(row: Int, column: Int) -> Bool {
        guard (0..<size).contains(row), (0..<size).contains(column) else { return false }
        return modules[row * size + column]
    }

    /// The rows of modules from the top, without a quiet zone; `true` is dark.
    public var rows: [[Bool]] {
        (0..<size).map { Array(modules[$0 * size..<($0 + 1) * size]) }
    }
}

extension QRCode {
    /// The code as text with its quiet zone, two rows of modules a line.
    ///
    /// - Parameter colors: whether to set black on white by the escape sequences of a terminal, so that the theme does
    ///   not matter. Without them the light modules are drawn, which is right on a dark background; most readers also
    ///   recognise the inverse.
    /// - Returns: lines that end with a line feed.
    public func terminalText(colors: Bool) -> String {
        var text = ""
        for row in stride(from: -Self.quietZone, to: size + Self.quietZone, by: 2) {
            if colors { text += "\u{1B}[30;107m" }
            for column in -Self.quietZone..<size + Self.quietZone {
                let isLast = row + 1 >= size + Self.quietZone
                let upper = self[row, column] == colors
                let lower = isLast ? false : self[row + 1, column] == colors
                text += Self.halfBlocks[(upper ? 2 : 0) + (lower ? 1 : 0)]
            }
            text += colors ? "\u{1B}[0m\n" : "\n"
        }
        return text
    }

    /// A character for two modules one above the other, by whether the upper (2) and the lower (1) are drawn.
    private static let halfBlocks = [" ", "▄", "▀", "█"]

    /// The side of ``svg`` in modules, with the quiet zone.
    public var svgSize: Int { size + 2 * Self.quietZone }

    /// The dark modules as the data of an SVG path, in units of a module, with the quiet zone around it.
    public var svgPath: String {
        var path = ""
        for row in 0..<size {
            var column = 0
            while column < size {
                guard self[row, column] else {
                    column += 1
                    continue
                }
                let start = column
                while self[row, column] { column += 1 }
                let length = column - start
                path += "M\(start + Self.quietZone) \(row + Self.quietZone)h\(length)v1h-\(length)z"
            }
        }
        return path
    }

    /// The code as an SVG document, black on white.
    public var svg: String {
        let side = svgSize
        return #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(side) \#(side)" shape-rendering="crispEdges">"#
            + ##"<path fill="#fff" d="M0 0h\##(side)v\##(side)H0z"/><path fill="#000" d="\##(svgPath)"/></svg>"##
    }
}
