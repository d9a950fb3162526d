#if Companion
import ImageMetadata

/// A small picture with sixteen colours, which is drawn pixel by pixel.
struct PixelPicture {
    let width: Int
    let height: Int
    /// The red, green and blue of each colour.
    let palette: [[UInt8]]
    /// The colours of the pixels, row by row from the top.
    private var rows: [[UInt8]]

    /// The order in which the pixels of a square change from one colour to the next (Bayer's matrix).
    private static let order = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]

    /// Creates a picture in its first colour.
    ///
    /// - Parameters:
    ///   - width: The width, which is even because a byte holds two pixels.
    ///   - height: The height; all pixels must fit into 65,535 bytes.
    init(width: Int, height: Int, palette: [[UInt8]]) {
        self.width = width
        self.height = height
        self.palette = palette
        rows = Array(repeating: Array(repeating: 0, count: width), count: height)
    }

    /// The colour of a pixel; places outside have that of the nearest one inside.
    subscript(x: Int, y: Int) -> UInt8 {
        get { rows[min(max(y, 0), height - 1)][min(max(x, 0), width - 1)] }
        set {
            guard (0..<height).contains(y), (0..<width).contains(x) else { return }
            rows[y][x] = newValue
        }
    }

    /// Fills a rectangle.
    mutating func fill(_ left: Int, _ top: Int, _ width: Int, _ height: Int, _ colour: UInt8) {
        for y in top..<top + max(0, height) { for x in left..<left + max(0, width) { self[x, y] = colour } }
    }

    /// Fills a circle.
    mutating func disc(_ x: Int, _ y: Int, _ radius: Int, _ colour: UInt8) {
        for dy in -radius...radius {
            for dx in -radius...radius where dx * dx + dy * dy <= radius * radius { self[x + dx, y + dy] = colour }
        }
    }

    /// Fills a gable or spire that narrows from its base to a point.
    mutating func gable(_ left: Int, _ base: Int, _ width: Int, _ height: Int, _ colour: UInt8) {
        for step in 0..<height {
            let inset = width * step / (2 * height)
            fill(left + inset, base - step - 1, width - 2 * inset, 1, colour)
        }
    }

    /// Fills rows with colours that go over into one another from top to bottom.
    mutating func blend(_ top: Int, _ bottom: Int, _ colours: [UInt8]) {
        guard colours.count > 1, bottom > top else { return }
        for y in top..<bottom {
            let part = (y - top) * (colours.count - 1) * 16 / (bottom - top)
            for x in 0..<width {
                let isNext = part % 16 > Self.order[y % 4 * 4 + x % 4]
                self[x, y] = colours[min(part / 16 + (isNext ? 1 : 0), colours.count - 1)]
            }
        }
    }

    /// The picture as an uncompressed PNG file with four bits per pixel (ISO/IEC 15948).
    var png: [UInt8] {
        var pixels: [UInt8] = []
        for row in rows {
            pixels.append(0)
            for x in stride(from: 0, to: row.count - 1, by: 2) { pixels.append(row[x] << 4 | row[x + 1]) }
        }
        let header = Self.bigEndian(width, bytes: 4) + Self.bigEndian(height, bytes: 4) + [4, 3, 0, 0, 0]
        return Picture.pngSignature + Picture.chunk("IHDR", header) + Picture.chunk("PLTE", palette.flatMap(\.self))
            + Picture.chunk("IDAT", Self.stored(pixels)) + Picture.chunk("IEND", [])
    }

    /// Returns a zlib stream with one uncompressed block (RFC 1950; RFC 1951, section 3.2.4).
    ///
    /// - Parameter bytes: At most 65,535 bytes.
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let count = bigEndian(bytes.count, bytes: 2).reversed()
        var (low, high) = (1, 0)
        for byte in bytes {
            low = (low + Int(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return [0x78, 0x01, 0x01] + count + count.map { ~$0 } + bytes + bigEndian(high << 16 | low, bytes: 4)
    }

    private static func bigEndian(_ number: Int, bytes: Int) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
#endif
