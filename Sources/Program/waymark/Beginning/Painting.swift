import ImageMetadata

/// A small picture of houses by a canal, so that the demonstration needs no real photos.
struct Painting {
    /// The time of day, which determines the colours.
    enum Hour: CaseIterable {
        case morning, noon, evening, night
    }

    private let hour: Hour
    /// The palette indices of the pixels, row by row from the top.
    private var rows: [[UInt8]]

    /// The size in pixels; the width is even because a byte holds two pixels.
    private static let (width, height) = (320, 240)
    /// The row below the houses, and the first row of the water.
    private static let (ground, water) = (168, 174)

    /// Indices into the palette.
    private enum Colour {
        // The four indices before this one are the sky, from the top.
        static let water: UInt8 = 4
        static let quay: UInt8 = 5
        /// The first of five house fronts.
        static let front: UInt8 = 6
        static let (frame, window, door): (UInt8, UInt8, UInt8) = (11, 12, 13)
    }

    /// Draws the picture; at each hour the row of houses begins with a different house.
    init(_ hour: Hour) {
        self.hour = hour
        rows = (0..<Self.height).map { y in
            let band = UInt8(truncatingIfNeeded: min(3, y * 4 / Self.ground))
            return Array(repeating: y < Self.ground ? band : Colour.quay, count: Self.width)
        }
        let shift = Hour.allCases.firstIndex(of: hour) ?? 0
        let houses: [(width: Int, height: Int)] = [
            (38, 84), (30, 104), (46, 92), (34, 76), (40, 110), (32, 88), (44, 98),
        ]
        var left = 2
        for (number, house) in (houses + houses).dropFirst(shift).enumerated() {
            let front = Colour.front + UInt8(truncatingIfNeeded: (number * 3 + shift) % 5)
            build(at: left, house.width, house.height, front)
            left += house.width + 1
        }
        mirror()
    }

    /// Draws a house with a stepped gable, three windows per floor, and a door.
    private mutating func build(at left: Int, _ width: Int, _ height: Int, _ front: UInt8) {
        let top = Self.ground - height
        fill(left, top, width, height, front)
        for step in 1...4 { fill(left + 4 * step, top - 6 * step, width - 8 * step, 6, front) }
        for floor in stride(from: top + 8, to: Self.ground - 24, by: 20) {
            for column in 0..<3 {
                let x = left + width * (2 * column + 1) / 6 - 3
                fill(x, floor, 7, 12, Colour.frame)
                fill(x + 1, floor + 1, 5, 10, Colour.window)
            }
        }
        fill(left + width / 2 - 4, Self.ground - 18, 8, 18, Colour.door)
    }

    private mutating func fill(_ left: Int, _ top: Int, _ width: Int, _ height: Int, _ colour: UInt8) {
        for y in rows.indices where y >= top && y < top + height {
            for x in rows[y].indices where x >= left && x < left + width { rows[y][x] = colour }
        }
    }

    /// Draws the water, which reflects the houses above it in ripples.
    private mutating func mirror() {
        for y in Self.water..<Self.height {
            let above = Self.ground - 1 - (y - Self.water) * 2
            for x in 0..<Self.width {
                let isRipple = (y * 5 + x / 12) % 3 == 0
                rows[y][x] = isRipple ? Colour.water : rows[above][min(Self.width - 1, x + y % 2)]
            }
        }
    }

    /// The red, green and blue of each palette index.
    private var palette: [[UInt8]] {
        let light: [[UInt8]] =
            switch hour {
            case .morning: [[158, 196, 226], [186, 211, 230], [216, 224, 226], [243, 229, 208], [104, 138, 152]]
            case .noon: [[74, 140, 205], [104, 164, 219], [141, 190, 231], [184, 216, 240], [58, 104, 128]]
            case .evening: [[82, 70, 122], [156, 88, 126], [222, 122, 104], [247, 178, 103], [92, 72, 104]]
            case .night: [[10, 14, 38], [16, 22, 54], [24, 32, 70], [36, 44, 88], [14, 20, 44]]
            }
        let fronts: [[UInt8]] = [
            [122, 110, 104], [148, 72, 58], [186, 140, 88], [92, 80, 84], [132, 92, 70], [168, 154, 136],
            [236, 230, 218], [54, 62, 78], [52, 84, 66], [0, 0, 0], [0, 0, 0],
        ]
        guard hour == .night else { return light + fronts }
        // At night the houses are dark and their windows are lit.
        return light
            + fronts.enumerated().map { place, colour in
                place == 7 ? [250, 204, 110] : colour.map { $0 / 3 }
            }
    }

    /// The picture as an uncompressed PNG file with four bits per pixel (ISO/IEC 15948).
    var png: [UInt8] {
        var pixels: [UInt8] = []
        for row in rows {
            pixels.append(0)
            for x in stride(from: 0, to: row.count, by: 2) { pixels.append(row[x] << 4 | row[x + 1]) }
        }
        let header = Self.bigEndian(Self.width, bytes: 4) + Self.bigEndian(Self.height, bytes: 4) + [4, 3, 0, 0, 0]
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
