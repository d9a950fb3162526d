/// The modules of a QR code of one version and mask.
struct QRSymbol {
    /// The modules row by row; `true` is dark.
    private(set) var modules: [Bool]
    /// The modules that are no data: patterns, format and version.
    private var isFixed: [Bool]
    private let size: Int

    /// Places patterns, codewords and mask.
    init(version: QRVersion, codewords: [UInt8], mask: Int) {
        size = version.size
        modules = Array(repeating: false, count: size * size)
        isFixed = modules
        drawPatterns(version)
        drawFormat(mask: mask)
        if version.number >= 7 { drawVersion(version.number) }
        place(codewords)
        apply(mask)
    }

    /// Fixes a module.
    private mutating func fix(_ row: Int, _ column: Int, isDark: Bool) {
        modules[row * size + column] = isDark
        isFixed[row * size + column] = true
    }

    // MARK: - Function patterns (section 6.3)

    private mutating func drawPatterns(_ version: QRVersion) {
        // Timing patterns; finder and alignment patterns cover their ends.
        for index in 0..<size {
            fix(6, index, isDark: index % 2 == 0)
            fix(index, 6, isDark: index % 2 == 0)
        }
        for (row, column) in [(3, 3), (3, size - 4), (size - 4, 3)] { drawFinder(row, column) }
        let centers = version.alignments
        for row in centers {
            for column in centers {
                let isNearFinder =
                    (row == 6 && column == 6) || (row == 6 && column == size - 7) || (row == size - 7 && column == 6)
                if !isNearFinder { drawAlignment(row, column) }
            }
        }
    }

    /// Draws a finder pattern and its light separator around a centre.
    private mutating func drawFinder(_ centerRow: Int, _ centerColumn: Int) {
        for row in max(0, centerRow - 4)...min(size - 1, centerRow + 4) {
            for column in max(0, centerColumn - 4)...min(size - 1, centerColumn + 4) {
                let ring = max(abs(row - centerRow), abs(column - centerColumn))
                fix(row, column, isDark: ring != 2 && ring != 4)
            }
        }
    }

    private mutating func drawAlignment(_ centerRow: Int, _ centerColumn: Int) {
        for row in centerRow - 2...centerRow + 2 {
            for column in centerColumn - 2...centerColumn + 2 {
                fix(row, column, isDark: max(abs(row - centerRow), abs(column - centerColumn)) != 1)
            }
        }
    }

    /// Draws both copies of the level, which is M, and the mask (section 7.9).
    private mutating func drawFormat(mask: Int) {
        // The bits of level M are 00. The code is BCH(15, 5) with the polynomial 0x537, masked by 0x5412.
        let bits = (mask << 10 | Self.rest(of: mask, degree: 10, polynomial: 0x537)) ^ 0x5412
        for index in 0..<15 {
            let isDark = bits >> index & 1 != 0
            // Around the top left finder pattern, without the timing patterns.
            switch index {
            case 0..<6: fix(index, 8, isDark: isDark)
            case 6: fix(7, 8, isDark: isDark)
            case 7: fix(8, 8, isDark: isDark)
            case 8: fix(8, 7, isDark: isDark)
            default: fix(8, 14 - index, isDark: isDark)
            }
            // Half beside the top right and half beside the bottom left one.
            if index < 8 {
                fix(8, size - 1 - index, isDark: isDark)
            } else {
                fix(size - 15 + index, 8, isDark: isDark)
            }
        }
        fix(size - 8, 8, isDark: true)
    }

    /// Draws both copies of the version (section 7.10).
    private mutating func drawVersion(_ number: Int) {
        let bits = number << 12 | Self.rest(of: number, degree: 12, polynomial: 0x1F25)
        for index in 0..<18 {
            let isDark = bits >> index & 1 != 0
            fix(index / 3, size - 11 + index % 3, isDark: isDark)
            fix(size - 11 + index % 3, index / 3, isDark: isDark)
        }
    }

    /// Returns the rest of the division of a value times x to the power of `degree` by a polynomial of that degree.
    private static func rest(of value: Int, degree: Int, polynomial: Int) -> Int {
        var rest = value
        for _ in 0..<degree {
            rest <<= 1
            if rest >> degree & 1 != 0 { rest ^= polynomial }
        }
        return rest
    }

    // MARK: - Data (section 7.7.3)

    /// Places the bits in columns of two modules from the right, alternately upwards and downwards.
    ///
    /// The column of the vertical timing pattern is left out. Bits that are left over stay light.
    private mutating func place(_ codewords: [UInt8]) {
        var bit = 0
        var right = size - 1
        var isUpward = true
        while right > 0 {
            if right == 6 { right -= 1 }
            for step in 0..<size {
                let row = isUpward ? size - 1 - step : step
                for column in [right, right - 1] where !isFixed[row * size + column] && bit < 8 * codewords.count {
                    modules[row * size + column] = codewords[bit / 8] >> UInt8(7 - bit % 8) & 1 != 0
                    bit += 1
                }
            }
            right -= 2
            isUpward.toggle()
        }
    }

    /// Inverts the data modules that the mask covers (section 7.8.2).
    private mutating func apply(_ mask: Int) {
        for row in 0..<size {
            for column in 0..<size where !isFixed[row * size + column] {
                let product = row * column
                let isCovered =
                    switch mask {
                    case 0: (row + column) % 2 == 0
                    case 1: row % 2 == 0
                    case 2: column % 3 == 0
                    case 3: (row + column) % 3 == 0
                    case 4: (row / 2 + column / 3) % 2 == 0
                    case 5: product % 2 + product % 3 == 0
                    case 6: (product % 2 + product % 3) % 2 == 0
                    default: ((row + column) % 2 + product % 3) % 2 == 0
                    }
                if isCovered { modules[row * size + column].toggle() }
            }
        }
    }

    // MARK: - Penalty (section 7.8.3)

    /// How hard the code is to read, by the features that could confuse a reader.
    var penalty: Int {
        var penalty = 0
        for index in 0..<size {
            let row = (0..<size).map { modules[index * size + $0] }
            let column = (0..<size).map { modules[$0 * size + index] }
            penalty += Self.linePenalty(row) + Self.linePenalty(column)
        }
        for row in 0..<size - 1 {
            for column in 0..<size - 1 {
                let at = row * size + column
                let isBlock =
                    modules[at] == modules[at + 1] && modules[at] == modules[at + size]
                    && modules[at] == modules[at + size + 1]
                if isBlock { penalty += 3 }
            }
        }
        let dark = modules.count { $0 }
        return penalty + 10 * (abs(20 * dark - 10 * modules.count) / modules.count)
    }

    /// The penalty of one row or column: runs of five or more, and what looks like a finder pattern.
    private static func linePenalty(_ line: [Bool]) -> Int {
        var penalty = 0
        var run = 0
        // The last eleven modules, which are compared with a finder pattern and four light modules on one side.
        var window = 0
        for (index, isDark) in line.enumerated() {
            run = index > 0 && line[index - 1] == isDark ? run + 1 : 1
            if run == 5 { penalty += 3 } else if run > 5 { penalty += 1 }
            window = (window << 1 | (isDark ? 1 : 0)) & 0x7FF
            if index >= 10, window == 0b101_1101_0000 || window == 0b000_0101_1101 { penalty += 40 }
        }
        return penalty
    }
}
