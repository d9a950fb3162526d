import Histories
import Positioning
import TestSupport
import Testing

@Suite struct DamagedHistoryTests {
    /// Returns bytes with one to four changes: a byte replaced, a part cut out or doubled, or the end cut off.
    private func damaged(_ bytes: [UInt8], by generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        let signs = Array("{}[],:\"\\0-.eE\n\t;°".utf8)
        for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
            let start = Int.random(in: 0..<bytes.count, using: &generator)
            let end = min(bytes.count, start + Int.random(in: 1...40, using: &generator))
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes[start] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes[start] = signs.randomElement(using: &generator) ?? 0
            case 2: bytes.removeSubrange(start..<end)
            case 3: bytes.insert(contentsOf: bytes[start..<end], at: start)
            default: bytes.removeSubrange(start...)
            }
        }
        return bytes
    }

    @Test func damageNeverTrapsAndPiecesDoNotMatter() {
        var generator = SeededGenerator(seed: 41)
        var refused = 0
        for _ in 0..<150 {
            for (format, text) in Sample.all {
                let bytes = damaged(Array(text.utf8), by: &generator)
                let whole = Reading(bytes)
                if whole.error != nil { refused += 1 }
                let length = Int.random(in: 1...80, using: &generator)
                #expect(
                    Reading(bytes, pieces: length) == whole,
                    "\(format) in pieces of \(length): \(String(decoding: bytes, as: UTF8.self))")
            }
        }
        #expect(refused > 100)
    }

    @Test func numbersOfAllKindsNeverTrap() {
        let numbers = [
            "1e400", "-1e400", "1e-400", "9223372036854775807", "-9223372036854775808", "1e18", "4294967296", "0.1",
            "-0",
            "\"\"", "\"-\"", "\"1e999\"", "\"NaN\"", "null", "[]", "{}", "\"\\u0000\"", "179.99999999", "-180", "90",
        ]
        for (_, text) in Sample.all {
            var parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            for index in parts.indices.dropFirst() {
                let whole = parts[index]
                guard let end = whole.firstIndex(where: { ",}]\n".contains($0) }) else { continue }
                for number in numbers {
                    parts[index] = number + whole[end...]
                    let reading = Reading(parts.joined(separator: ":"))
                    for fix in reading.fixes { #expect(fix.time != nil) }
                }
                parts[index] = whole
            }
        }
    }
}
