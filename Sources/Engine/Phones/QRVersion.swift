/// A size of QR codes at level M: how much it holds, and how its codewords are arranged.
struct QRVersion: Sendable {
    /// The version, from 1 to 20.
    let number: Int

    /// The error correction codewords of a block at level M, for versions 1 to 20 (ISO/IEC 18004, table 9).
    private static let correctionLengths = [
        10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
    ]
    /// The blocks at level M, for versions 1 to 20 (ISO/IEC 18004, table 9).
    private static let blockCounts = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16]
    /// All codewords, for versions 1 to 20 (ISO/IEC 18004, table 1).
    private static let totals = [
        26, 44, 70, 100, 134, 172, 196, 242, 292, 346, 404, 466, 532, 581, 655, 733, 815, 901, 991, 1085,
    ]
    /// The rows and columns of the centres of alignment patterns, for versions 1 to 20 (ISO/IEC 18004, annex E).
    private static let alignments: [[Int]] = [
        [], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50],
        [6, 30, 54], [6, 32, 58], [6, 34, 62], [6, 26, 46, 66], [6, 26, 48, 70], [6, 26, 50, 74], [6, 30, 54, 78],
        [6, 30, 56, 82], [6, 30, 58, 86], [6, 34, 62, 90],
    ]

    /// Returns the smallest version that holds a number of bytes; `nil` if none does.
    static func smallest(holding count: Int) -> QRVersion? {
        (1...20).lazy.map(QRVersion.init(number:)).first { count <= $0.capacity }
    }

    /// The number of modules on each side.
    var size: Int { 17 + 4 * number }
    /// The rows and columns of the centres of alignment patterns.
    var alignments: [Int] { Self.alignments[number - 1] }

    /// The longest text in bytes: the data codewords without the mode (4 bits) and the length.
    private var capacity: Int { dataCount - (4 + lengthBits + 7) / 8 }
    /// The bits of the text's length in byte mode (ISO/IEC 18004, table 3).
    private var lengthBits: Int { number < 10 ? 8 : 16 }
    private var blockCount: Int { Self.blockCounts[number - 1] }
    private var correctionLength: Int { Self.correctionLengths[number - 1] }
    /// The number of data codewords of all blocks.
    private var dataCount: Int { Self.totals[number - 1] - blockCount * correctionLength }

    /// Returns the data codewords of a text that this version holds: mode, length, text, terminator and padding.
    func dataCodewords(of bytes: [UInt8]) -> [UInt8] {
        // In byte mode everything is shifted by the four bits of the mode.
        let length = lengthBits == 8 ? [UInt8(bytes.count & 255)] : [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)]
        var codewords: [UInt8] = []
        var high: UInt8 = 0b0100
        for byte in length + bytes {
            codewords.append(high << 4 | byte >> 4)
            high = byte & 15
        }
        // The terminator is four zero bits.
        codewords.append(high << 4)
        var padding: UInt8 = 0xEC
        while codewords.count < dataCount {
            codewords.append(padding)
            padding ^= 0xEC ^ 0x11
        }
        return codewords
    }

    /// Returns the codewords of all blocks in the order in which they are placed.
    ///
    /// The last blocks have one data codeword more than the first ones. The first data codewords of all blocks come
    /// first, then the second ones, and so on; the error correction codewords follow in the same way.
    func interleaved(_ data: [UInt8]) -> [UInt8] {
        let shortLength = dataCount / blockCount
        let shortBlocks = blockCount - dataCount % blockCount
        let corrector = ReedSolomon(correctionLength: correctionLength)
        var blocks: [ArraySlice<UInt8>] = []
        var rest = data[...]
        for index in 0..<blockCount {
            let length = index < shortBlocks ? shortLength : shortLength + 1
            blocks.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        let corrections = blocks.map { corrector.correction(of: $0) }
        var codewords: [UInt8] = []
        for position in 0...shortLength {
            for block in blocks where position < block.count { codewords.append(block[block.startIndex + position]) }
        }
        for position in 0..<correctionLength {
            for correction in corrections { codewords.append(correction[position]) }
        }
        return codewords
    }
}

/// The error correction of QR codes: a Reed–Solomon code over GF(2⁸) with the polynomial x⁸ + x⁴ + x³ + x² + 1.
///
/// - SeeAlso: ISO/IEC 18004, section 7.5 and annex A.
struct ReedSolomon {
    /// The coefficients of the generator polynomial below its highest, which is 1, from the highest power down.
    private let generator: [UInt8]

    /// Creates the code with a number of error correction codewords.
    ///
    /// The generator polynomial is (x − α⁰)(x − α¹) … with α = 2.
    init(correctionLength: Int) {
        var product = [UInt8](repeating: 0, count: correctionLength)
        guard let last = product.indices.last else {
            generator = []
            return
        }
        product[last] = 1
        var root: UInt8 = 1
        for _ in 0..<correctionLength {
            for index in product.indices {
                product[index] = Self.multiply(product[index], root)
                if index < last { product[index] ^= product[index + 1] }
            }
            root = Self.multiply(root, 2)
        }
        generator = product
    }

    /// Returns the error correction codewords of a block: the rest of its division by the generator polynomial.
    func correction(of block: ArraySlice<UInt8>) -> [UInt8] {
        var rest = [UInt8](repeating: 0, count: generator.count)
        for byte in block {
            guard let first = rest.first else { return [] }
            let factor = byte ^ first
            for index in rest.indices {
                let next = index + 1 < rest.count ? rest[index + 1] : 0
                rest[index] = next ^ Self.multiply(generator[index], factor)
            }
        }
        return rest
    }

    /// Returns the product of two elements of the field.
    private static func multiply(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var product: UInt8 = 0
        for bit in (0..<8).reversed() {
            let overflows = product & 0x80 != 0
            product <<= 1
            if overflows { product ^= 0x1D }
            if right >> UInt8(bit) & 1 != 0 { product ^= left }
        }
        return product
    }
}
