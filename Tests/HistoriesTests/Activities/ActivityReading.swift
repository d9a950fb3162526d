import Geodesy
import Positioning
import TestSupport
import Time

@testable import Histories

/// What a decoder makes of some bytes.
struct ActivityReading: Equatable {
    var items: [HistoryItem] = []
    var dropped: [DroppedPoint: Int] = [:]
    var failure: RecordingError?
    var damage: RecordingError?

    /// Reads bytes in pieces of the given lengths, and the rest in one.
    init(_ decoder: any HistoryDecoder, _ bytes: [UInt8], pieces: [Int] = []) {
        var decoder = decoder
        do throws(RecordingError) {
            var at = 0
            for piece in pieces + [bytes.count] {
                let end = min(bytes.count, at + piece)
                try decoder.feed(bytes.span.extracting(at..<end), into: &items)
                at = end
            }
            try decoder.finish(into: &items)
        } catch {
            failure = error
        }
        dropped = decoder.dropped
        damage = (decoder as? any DamageTolerantDecoder)?.damage
    }

    init(_ decoder: any HistoryDecoder, _ text: String) { self.init(decoder, Array(text.utf8)) }

    var fixes: [Fix] { items.compactMap { if case .fix(let fix) = $0 { fix } else { nil } } }
    var visits: [HistoryVisit] { items.compactMap { if case .visit(let visit) = $0 { visit } else { nil } } }
    var times: [String] { fixes.map { $0.time.map(\.description) ?? "" } }
}

extension SeededGenerator {
    /// Returns bytes of which a few are changed, removed, doubled or cut off.
    mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &self) where !bytes.isEmpty {
            let at = Int.random(in: 0..<bytes.count, using: &self)
            let end = min(bytes.count, at + Int.random(in: 1...40, using: &self))
            switch Int.random(in: 0..<5, using: &self) {
            case 0: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            case 1: bytes[at] = UInt8.random(in: 0...255, using: &self)
            case 2: bytes.removeSubrange(at..<end)
            case 3: bytes.insert(contentsOf: Array(bytes[at..<end]), at: at)
            default: bytes.removeSubrange(at...)
            }
        }
        return bytes
    }

    /// Returns lengths of pieces, of which many are short.
    mutating func pieces(of length: Int) -> [Int] {
        var pieces: [Int] = []
        var left = length
        while left > 0 {
            pieces.append(min(left, Int.random(in: 1...[1, 7, 200].randomElement(using: &self).known, using: &self)))
            left -= pieces.last ?? left
        }
        return pieces
    }
}
