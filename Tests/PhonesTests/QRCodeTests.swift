import Phones
import TestSupport
import Testing

@Suite struct QRCodeTests {
    /// The capacities in bytes at level M, for versions 1 to 20 (ISO/IEC 18004, table 7).
    private static let capacities = [
        14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624, 666,
    ]

    /// Returns a text of a length in bytes.
    private static func text(length: Int, using generator: inout SeededGenerator) -> String {
        var text = ""
        while text.utf8.count < length {
            let next: Character = ["a", "Z", "0", "/", "?", "=", "é", "🚐"].randomElement(using: &generator) ?? "a"
            if text.utf8.count + next.utf8.count <= length { text.append(next) }
        }
        return text
    }

    @Test func codeIsTheOneThatOtherEncodersMake() throws {
        // "waymark" in version 1 with mask 5, compared with python-qrcode 8.2.
        let known = [
            "#######....##.#######",
            "#.....#.##..#.#.....#",
            "#.###.#.#.##..#.###.#",
            "#.###.#.#####.#.###.#",
            "#.###.#..##.#.#.###.#",
            "#.....#..#.#..#.....#",
            "#######.#.#.#.#######",
            "........#.#..........",
            "#.....#.#.##.##..###.",
            "#.####...#.###..#.#..",
            "....#.###.#.#.##.###.",
            "...##..#..###########",
            "##.##.###..#####....#",
            "........###.#...#..##",
            "#######....#.#...###.",
            "#.....#..##...#..###.",
            "#.###.#..#.#.#.#...#.",
            "#.###.#..#.#######...",
            "#.###.#..#.###..#.###",
            "#.....#...######.##..",
            "#######.#...#..#...#.",
        ]
        let code = try #require(QRCode("waymark", mask: 5))
        #expect(code.rows.map { row in String(row.map { $0 ? "#" : "." }) } == known)
    }

    @Test(arguments: 1...20) func codesOfEveryVersionAndMaskAreReadBack(version: Int) throws {
        var generator = SeededGenerator(seed: UInt64(version))
        let most = Self.capacities[version - 1]
        let least = version == 1 ? 0 : Self.capacities[version - 2] + 1
        for length in [least, Int.random(in: least...most, using: &generator), most] {
            let text = Self.text(length: length, using: &generator)
            let best = try #require(QRCode(text))
            #expect(best.size == 17 + 4 * version)
            #expect(QRReader(best).text(capacity: most) == text)
            // All masks of a version in one test take too long for the large ones.
            let masks = version < 4 || version == 7 ? Array(0...7) : [(version + length) % 8]
            for mask in masks {
                let reader = QRReader(try #require(QRCode(text, mask: mask)))
                #expect(reader.mask == mask)
                #expect(reader.text(capacity: most) == text)
            }
        }
    }

    @Test func textThatIsTooLongHasNoCode() {
        #expect(QRCode.maximumLength == Self.capacities.last)
        #expect(QRCode(String(repeating: "a", count: QRCode.maximumLength)) != nil)
        #expect(QRCode(String(repeating: "a", count: QRCode.maximumLength + 1)) == nil)
        #expect(QRCode("a", mask: 8) == nil)
    }

    @Test func maskOfLeastPenaltyIsChosen() throws {
        // Zeros make stripes and blocks with most masks.
        for text in ["waymark", "owntracks:///config?inline=eyJ", String(repeating: "\u{0}", count: 100)] {
            let best = try #require(QRCode(text))
            let penalties = try (0...7).map { Self.penalty(try #require(QRCode(text, mask: $0))) }
            #expect(Self.penalty(best) == penalties.min())
            #expect(Set(penalties).count > 1)
        }
    }

    /// The penalty by the rules of section 7.8.3, each over the whole code.
    private static func penalty(_ code: QRCode) -> Int {
        let rows = code.rows
        let columns = rows.indices.map { column in rows.map { $0[column] } }
        var penalty = 0
        for line in rows + columns {
            let text = String(line.map { $0 ? "#" : "." })
            for run in text.split(whereSeparator: { $0 == "." }) + text.split(whereSeparator: { $0 == "#" })
            where run.count >= 5 {
                penalty += run.count - 2
            }
            for start in 0...line.count - 11 {
                let window = text.dropFirst(start).prefix(11)
                if window == "#.###.#...." || window == "....#.###.#" { penalty += 40 }
            }
        }
        for row in 1..<code.size {
            for column in 1..<code.size {
                let block = [
                    code[row, column], code[row - 1, column], code[row, column - 1], code[row - 1, column - 1],
                ]
                if Set(block).count == 1 { penalty += 3 }
            }
        }
        let dark = rows.joined().count { $0 }
        let share = Double(dark) / Double(code.size * code.size)
        return penalty + 10 * Int(abs(share - 0.5) * 20)
    }

    @Test(arguments: [true, false]) func terminalTextShowsTheModules(colors: Bool) throws {
        let code = try #require(QRCode("waymark"))
        let text = code.terminalText(colors: colors)
        let side = code.size + 2 * QRCode.quietZone
        var rows: [[Bool]] = []
        for line in text.split(separator: "\n") {
            let plain = line.replacing("\u{1B}[30;107m", with: "").replacing("\u{1B}[0m", with: "")
            #expect(plain.count == side)
            #expect(plain == line || colors)
            rows.append(plain.map { ("▀█".contains($0)) == colors })
            rows.append(plain.map { ("▄█".contains($0)) == colors })
        }
        for row in 0..<side {
            for column in 0..<side {
                #expect(rows[row][column] == code[row - QRCode.quietZone, column - QRCode.quietZone])
            }
        }
    }

    @Test func pathCoversTheDarkModules() throws {
        let code = try #require(QRCode("waymark"))
        var dark: Set<[Int]> = []
        for run in code.svgPath.split(separator: "M") {
            let parts = run.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
            // Column, row, length, the height, and the length back.
            #expect(parts.count == 5)
            #expect(parts[2] == parts[4])
            for column in parts[0]..<parts[0] + parts[2] { #expect(dark.insert([parts[1], column]).inserted) }
        }
        for row in 0..<code.svgSize {
            for column in 0..<code.svgSize {
                let isDark = code[row - QRCode.quietZone, column - QRCode.quietZone]
                #expect(dark.contains([row, column]) == isDark)
            }
        }
        #expect(code.svg.contains("viewBox=\"0 0 29 29\""))
        #expect(code.svg.contains(code.svgPath))
    }
}

/// Reads a QR code of level M without damage, by rules that are written independently of the encoder.
private struct QRReader {
    private let code: QRCode
    private let version: Int
    /// The mask by the format information; `nil` if its two copies differ or are not of level M.
    let mask: Int?
    /// The rows and columns of the centres of alignment patterns.
    private let centers: [Int]

    init(_ code: QRCode) {
        self.code = code
        version = (code.size - 17) / 4
        let size = code.size
        // They lie at even distances, counted from the far end; only the first one may be nearer.
        let count = version / 7 + 2
        let step = count == 2 ? 0 : (4 * version + count * 2 + 1) / (2 * count - 2) * 2
        centers = version == 1 ? [] : [6] + (0..<count - 1).map { size - 7 - $0 * step }
        let first = [0, 1, 2, 3, 4, 5, 7, 8].map { code[8, $0] } + [7, 5, 4, 3, 2, 1, 0].map { code[$0, 8] }
        let second = (1...7).map { code[size - $0, 8] } + (size - 8..<size).map { code[8, $0] }
        // The format information for each mask at level M (ISO/IEC 18004, table C.1).
        let formats = [0x5412, 0x5125, 0x5E7C, 0x5B4B, 0x45F9, 0x40CE, 0x4F97, 0x4AA0]
        let bits = first.reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        mask = first == second && code[size - 8, 8] ? formats.firstIndex(of: bits) : nil
    }

    /// Whether a module belongs to a pattern, the format or the version.
    private func isFixed(_ row: Int, _ column: Int) -> Bool {
        let size = code.size
        if row == 6 || column == 6 { return true }
        if row < 9, column < 9 || column >= size - 8 { return true }
        if column < 9, row >= size - 8 { return true }
        if version >= 7, (row < 6 && column >= size - 11) || (column < 6 && row >= size - 11) { return true }
        let near = { (value: Int) in centers.first { abs($0 - value) <= 2 } }
        guard let y = near(row), let x = near(column) else { return false }
        return !((y == 6 && x == 6) || (y == 6 && x == size - 7) || (y == size - 7 && x == 6))
    }

    private func isCovered(_ row: Int, _ column: Int) -> Bool {
        let (i, j) = (row, column)
        return switch mask {
        case 0: (i + j) % 2 == 0
        case 1: i % 2 == 0
        case 2: j % 3 == 0
        case 3: (i + j) % 3 == 0
        case 4: (i / 2 + j / 3) % 2 == 0
        case 5: (i * j) % 2 + (i * j) % 3 == 0
        case 6: ((i * j) % 2 + (i * j) % 3) % 2 == 0
        default: ((i + j) % 2 + (i * j) % 3) % 2 == 0
        }
    }

    /// Returns the text if the version holds `capacity` bytes and the error correction agrees.
    func text(capacity: Int) -> String? {
        guard mask != nil, version < 7 || versionIsRight else { return nil }
        var bits: [Bool] = []
        let pairs = stride(from: code.size - 1, to: 6, by: -2) + stride(from: 5, to: 0, by: -2)
        for (index, right) in pairs.enumerated() {
            for step in 0..<code.size {
                let row = index % 2 == 0 ? code.size - 1 - step : step
                for column in [right, right - 1] where !isFixed(row, column) {
                    bits.append(code[row, column] != isCovered(row, column))
                }
            }
        }
        let codewords = stride(from: 0, to: bits.count - 7, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        let blocks = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16][version - 1]
        let dataCount = capacity + (version < 10 ? 2 : 3)
        guard (codewords.count - dataCount) % blocks == 0 else { return nil }
        var data: [[UInt8]] = Array(repeating: [], count: blocks)
        var checks = data
        let long = dataCount % blocks
        for index in 0..<dataCount {
            let isRest = index >= dataCount - long
            data[isRest ? blocks - long + index - (dataCount - long) : index % blocks].append(codewords[index])
        }
        for index in dataCount..<codewords.count { checks[(index - dataCount) % blocks].append(codewords[index]) }
        for (block, check) in zip(data, checks) where !Self.isCodeword(block + check, checks: check.count) {
            return nil
        }
        return Self.decoded(Array(data.joined()), lengthBytes: version < 10 ? 1 : 2)
    }

    private var versionIsRight: Bool {
        let size = code.size
        let first = (0..<18).map { code[$0 / 3, size - 11 + $0 % 3] }
        let second = (0..<18).map { code[size - 11 + $0 % 3, $0 / 3] }
        let bits = first.reversed().reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        // The version is in the first bits, and the code is a multiple of its polynomial.
        var rest = bits
        for bit in (12..<18).reversed() where rest >> bit & 1 != 0 { rest ^= 0x1F25 << (bit - 12) }
        return first == second && bits >> 12 == version && rest == 0
    }

    /// Returns whether a polynomial is zero at the first powers of 2 in GF(2⁸).
    private static func isCodeword(_ block: [UInt8], checks: Int) -> Bool {
        var powers: [Int] = [1]
        for _ in 1..<255 {
            let next = powers[powers.count - 1] * 2
            powers.append(next > 255 ? next ^ 0x11D : next)
        }
        var logarithms = [Int](repeating: 0, count: 256)
        for (exponent, power) in powers.enumerated() { logarithms[power] = exponent }
        return (0..<checks).allSatisfy { (exponent: Int) -> Bool in
            var value = 0
            for byte in block {
                let product = value == 0 ? 0 : powers[(logarithms[value] + exponent) % 255]
                value = product ^ Int(byte)
            }
            return value == 0
        }
    }

    /// Returns the text of data codewords in byte mode with its padding.
    private static func decoded(_ data: [UInt8], lengthBytes: Int) -> String? {
        // Half a byte is the mode, so each byte of the text lies in two codewords.
        let shifted = zip(data, data.dropFirst()).map { $0 << 4 | $1 >> 4 }
        guard data[0] >> 4 == 4 else { return nil }
        let length = shifted.prefix(lengthBytes).reduce(0) { $0 << 8 | Int($1) }
        guard lengthBytes + length <= shifted.count, data[lengthBytes + length] & 15 == 0 else { return nil }
        let padding = data.dropFirst(lengthBytes + length + 1)
        for (index, byte) in padding.enumerated() where byte != (index % 2 == 0 ? 0xEC : 0x11) { return nil }
        return String(validating: shifted.dropFirst(lengthBytes).prefix(length), as: UTF8.self)
    }
}

/// Joins two strides.
private func + (left: StrideTo<Int>, right: StrideTo<Int>) -> [Int] { Array(left) + Array(right) }
