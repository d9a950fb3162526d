#if Companion
/// A small picture of the mountains, so that the demonstration needs no real photos.
struct Painting {
    /// The time of day, which determines the colours.
    enum Hour: CaseIterable {
        case morning, noon, evening, night
    }

    /// What stands before the mountains.
    enum Scene: CaseIterable {
        case castle, village, lake, huts, vines, black
    }

    private var picture: PixelPicture

    /// The height of the meadow's edge at the left.
    private static let ground = 210

    /// Indices into the palette; the first four are the sky, from the top.
    private enum Colour {
        static let (far, snow, rock, forest): (UInt8, UInt8, UInt8, UInt8) = (4, 5, 6, 7)
        static let (meadow, path, wall, roof): (UInt8, UInt8, UInt8, UInt8) = (8, 9, 10, 11)
        static let (window, shade, water, sun): (UInt8, UInt8, UInt8, UInt8) = (12, 13, 14, 15)
    }

    /// Draws the picture.
    init(_ scene: Scene, _ hour: Hour) {
        picture = PixelPicture(width: 400, height: 300, palette: Self.palette(hour))
        picture.blend(0, Self.ground, [0, 1, 2, 3])
        let shift = (Scene.allCases.firstIndex(of: scene) ?? 0) * 67
        let (x, y) = hour == .noon ? (310, 48) : hour == .night ? (84, 52) : (318, 120)
        picture.disc(x, y, hour == .night ? 14 : 17, Colour.sun)
        ridge(shift + 31, from: 96, swing: 26, Colour.far, snow: nil)
        ridge(shift, from: 128, swing: 44, Colour.rock, snow: 112)
        ridge(shift + 140, from: 176, swing: 20, Colour.forest, snow: nil)
        for x in 0..<picture.width {
            let edge = Self.edge(x)
            for y in edge..<picture.height { picture[x, y] = Colour.meadow }
            if x % 7 < 3 { picture[x, edge + 18 + x * 37 % 70] = Colour.shade }
        }
        switch scene {
        case .castle: castle()
        case .village: village()
        case .lake: lake()
        case .huts: huts()
        case .vines: vines()
        case .black: cube()
        }
    }

    /// The picture as a PNG file.
    var png: [UInt8] { picture.png }

    /// Returns the row at which the meadow begins.
    private static func edge(_ x: Int) -> Int { ground + 10 - x / 40 + wave(x, 130) / 10 }

    /// Returns a wave between -100 and 100, made of two parabolas.
    private static func wave(_ x: Int, _ length: Int) -> Int {
        let half = length / 2
        let part = ((x % length) + length) % length
        let inside = part % half
        let value = 400 * inside * (half - inside) / (half * half)
        return part < half ? value : -value
    }

    /// Fills a ridge of mountains down to the bottom, with snow above a row.
    private mutating func ridge(_ shift: Int, from level: Int, swing: Int, _ colour: UInt8, snow: Int?) {
        for x in 0..<picture.width {
            let shape =
                Self.wave(x + shift, 310) * 5 + Self.wave(2 * x + shift * 3, 217) * 3 + Self.wave(5 * x + shift, 173)
                * 2
            let top = level - swing * shape / 1000 - (x * 13 + shift) % 3
            for y in max(0, top)..<picture.height {
                let isSnow = snow.map { y < $0 - (x + shift) % 11 + Self.wave(4 * x, 91) / 12 } ?? false
                let isShade = snow != nil && Self.wave(2 * x + shift * 3 + y - top, 217) < -30
                picture[x, y] = isSnow ? Colour.snow : isShade ? Colour.shade : colour
            }
        }
    }

    /// Draws a house with a gable and windows.
    private mutating func house(_ left: Int, _ base: Int, _ width: Int, _ height: Int) {
        picture.fill(left, base - height, width, height, Colour.wall)
        picture.fill(left + width * 3 / 4, base - height, width - width * 3 / 4, height, Colour.shade)
        picture.gable(left - 3, base - height, width + 6, width / 3, Colour.roof)
        for floor in stride(from: base - height + 6, to: base - 9, by: 15) {
            for x in stride(from: left + 5, to: left + width - 6, by: 11) {
                picture.fill(x, floor, 5, 7, Colour.window)
            }
        }
    }

    /// Draws a tower with battlements.
    private mutating func tower(_ left: Int, _ base: Int, _ width: Int, _ height: Int) {
        picture.fill(left, base - height, width, height, Colour.wall)
        picture.fill(left + width * 2 / 3, base - height, width - width * 2 / 3, height, Colour.shade)
        for x in stride(from: left, to: left + width - 3, by: 8) {
            picture.fill(x, base - height - 5, 5, 5, Colour.wall)
        }
        for y in stride(from: base - height + 10, to: base - 10, by: 22) {
            picture.fill(left + width / 3, y, 4, 8, Colour.window)
        }
    }

    private mutating func castle() {
        // The rock below the castle.
        for step in 0..<80 {
            picture.fill(
                118 - step * 2 / 3, 150 + step, 170 + step * 4 / 3, 1, step % 9 < 2 ? Colour.shade : Colour.rock)
        }
        picture.fill(118 + 40, 132, 128, 20, Colour.wall)
        tower(136, 152, 40, 74)
        house(182, 152, 52, 40)
        tower(246, 152, 30, 48)
        for x in stride(from: 70, to: 330, by: 9) { picture.disc(x, 232 + x % 5, 5, Colour.forest) }
    }

    private mutating func village() {
        for (left, width, height) in [(34, 44, 34), (86, 54, 44), (238, 56, 40), (302, 46, 34), (352, 40, 30)] {
            house(left, 244 + left % 9, width, height)
        }
        house(150, 246, 60, 54)
        picture.fill(190, 140, 26, 106, Colour.wall)
        picture.fill(207, 140, 9, 106, Colour.shade)
        picture.gable(187, 140, 32, 62, Colour.roof)
        picture.disc(203, 158, 6, Colour.snow)
        road()
    }

    private mutating func lake() {
        for y in 222..<284 {
            let inset = abs(y - 252) * abs(y - 252) / 16
            for x in inset..<picture.width - inset {
                let isRipple = (y * 5 + x / 14) % 4 == 0
                picture[x, y] = isRipple ? Colour.water : picture[x + y % 2, 2 * 218 - y * 6 / 5 + 48]
            }
        }
        for x in stride(from: 8, to: 392, by: 23) where x % 5 != 0 { picture.gable(x, 226, 12, 30, Colour.forest) }
    }

    private mutating func huts() {
        for (left, base, width) in [(60, 238, 38), (128, 228, 30), (196, 234, 34), (300, 246, 44)] {
            house(left, base, width, 22)
        }
        road()
        for x in stride(from: 14, to: 390, by: 41) { picture.gable(x, 222 + x % 17, 14, 34, Colour.forest) }
    }

    private mutating func vines() {
        for row in 0..<9 {
            let y = 226 + row * 8 + row * row / 3
            for x in stride(from: row * 5 % 13, to: picture.width, by: 13 + row) {
                picture.disc(x, y, 3 + row / 3, row % 2 == 0 ? Colour.forest : Colour.shade)
            }
        }
        tower(62, 226, 30, 66)
        picture.gable(58, 160, 38, 26, Colour.roof)
        house(98, 226, 62, 36)
    }

    private mutating func cube() {
        picture.fill(96, 156, 210, 84, Colour.shade)
        picture.fill(96, 156, 210, 3, Colour.far)
        for x in stride(from: 112, to: 190, by: 26) { picture.fill(x, 214, 20, 24, Colour.window) }
        picture.fill(216, 174, 66, 20, Colour.window)
        picture.fill(0, 240, picture.width, 60, Colour.path)
        for y in stride(from: 246, to: 300, by: 12) { picture.fill(0, y, picture.width, 1, Colour.wall) }
        for x in [44, 340, 372] {
            picture.fill(x - 2, 214, 4, 28, Colour.roof)
            picture.disc(x, 200, 20, Colour.forest)
        }
    }

    private mutating func road() {
        for y in 232..<picture.height {
            let depth = y - 232
            let middle = 226 + Self.wave(depth * 2, 150) * (20 + depth) / 140
            picture.fill(middle - 3 - depth / 5, y, 6 + depth * 2 / 5, 1, Colour.path)
        }
    }

    /// Returns the colours of an hour.
    private static func palette(_ hour: Hour) -> [[UInt8]] {
        let sky: [[UInt8]] =
            switch hour {
            case .morning: [[118, 168, 214], [164, 197, 224], [214, 220, 222], [246, 224, 196]]
            case .noon: [[52, 118, 196], [92, 152, 216], [142, 188, 232], [196, 222, 242]]
            case .evening: [[70, 62, 120], [150, 86, 130], [226, 124, 104], [250, 188, 112]]
            case .night: [[8, 12, 34], [14, 20, 52], [24, 32, 72], [40, 50, 96]]
            }
        let land: [[UInt8]] = [
            [132, 156, 184], [242, 244, 248], [128, 126, 132], [58, 92, 62], [128, 164, 84], [200, 186, 156],
            [232, 220, 200], [150, 70, 52], [62, 66, 78], [92, 94, 104], [66, 118, 150], [255, 240, 190],
        ]
        let scale: (Int, Int, Int) =
            switch hour {
            case .morning: (98, 96, 94)
            case .noon: (100, 100, 100)
            case .evening: (92, 72, 74)
            case .night: (28, 32, 44)
            }
        let lit = land.enumerated().map { index, colour -> [UInt8] in
            // Windows at night and the sun and moon keep their own light.
            if index == 11 { return hour == .evening ? [255, 214, 140] : colour }
            if index == 8, hour == .night { return [250, 204, 110] }
            return [scale.0, scale.1, scale.2].enumerated().map { UInt8(clamping: Int(colour[$0]) * $1 / 100) }
        }
        return sky + lit
    }
}
#endif
