#if Companion
/// A drawn face, as somebody's profile picture.
struct Portrait {
    private var picture: PixelPicture

    /// Draws the face of a person.
    ///
    /// - Parameter number: Which of the colours and hairstyles to use.
    init(_ number: Int) {
        let backs: [[UInt8]] = [[240, 200, 120], [150, 196, 180], [214, 170, 190], [160, 186, 220]]
        let skins: [[UInt8]] = [[244, 208, 178], [214, 164, 124], [236, 190, 156], [150, 104, 76]]
        let hairs: [[UInt8]] = [[92, 56, 36], [40, 36, 40], [190, 120, 52], [60, 44, 40]]
        let shirts: [[UInt8]] = [[176, 60, 60], [52, 96, 132], [96, 84, 140], [70, 120, 86]]
        let palette =
            [backs, skins, hairs, shirts].map { $0[number % $0.count] } + [
                [52, 40, 40], [250, 250, 250], [196, 96, 90],
            ]
        let filled = palette + Array(repeating: [0, 0, 0], count: 16 - palette.count)
        picture = PixelPicture(width: 240, height: 240, palette: filled)
        let (skin, hair, shirt, dark, white, lips): (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8) = (1, 2, 3, 4, 5, 6)
        picture.disc(120, 260, 84, shirt)
        if number % 2 == 0 { picture.disc(120, 112, 70, hair) }
        if number % 2 == 0 { picture.fill(52, 112, 136, 70, hair) }
        picture.fill(104, 160, 32, 34, skin)
        picture.disc(120, 118, 56, skin)
        // The hair falls over the forehead, to one side.
        for y in 56..<98 {
            let reach = (98 - y) * 3 / 2
            for x in 60..<180 where picture[x, y] == skin {
                if number % 2 == 0 ? x < 96 + reach : y < 84 + (x % 9) / 3 { picture[x, y] = hair }
            }
        }
        for x in [98, 142] {
            picture.disc(x, 118, 8, white)
            picture.disc(x + 1, 118, 5, dark)
            picture.fill(x - 9, 102, 18, 3, hair)
        }
        picture.fill(117, 124, 5, 16, lips)
        for x in -18...18 { picture.fill(120 + x, 150 - x * x / 60, 1, 4, lips) }
        if number % 4 == 3 { picture.fill(88, 106, 64, 2, dark) }
    }

    /// The picture as a PNG file.
    var png: [UInt8] { picture.png }
}
#endif
