import Positioning
import TestSupport
import Testing

@testable import Histories

@Suite struct GzipExpanderTests {
    private static let text = Array(String(repeating: "46.5934 7.9075\n", count: 20_000).utf8)

    private static func expand(
        _ bytes: [UInt8], pieces: [Int] = [], free: Int64 = 1 << 20
    ) -> Result<[UInt8], RecordingError> {
        var expander = GzipExpander(bound: ExpansionBound(freeLength: free))
        var output: [UInt8] = []
        do throws(RecordingError) {
            var at = 0
            for piece in pieces + [bytes.count] {
                let end = min(bytes.count, at + piece)
                try expander.feed(bytes.span.extracting(at..<end)) { piece throws(RecordingError) in
                    guard piece.count <= 1 << 16 else { throw RecordingError("a piece that is too long") }
                    output += piece
                }
                at = end
            }
            try expander.finish()
            return .success(output)
        } catch {
            return .failure(error)
        }
    }

    private static func reason(_ bytes: [UInt8]) -> String? {
        if case .failure(let error) = expand(bytes) { error.reason } else { nil }
    }

    @Test func membersAreOneFileInPiecesOfAnyLength() {
        let gzip = deflated(Self.text, isGzip: true)
        let bytes =
            gzip + deflated([], isGzip: true) + deflated([1, 2], isGzip: true) + [UInt8](repeating: 0, count: 600)
        var generator = SeededGenerator(seed: 5)
        #expect(GzipExpander.isGzip(bytes))
        for pieces in [[], [Int](repeating: 1, count: bytes.count), generator.pieces(of: bytes.count)] {
            #expect(Self.expand(bytes, pieces: pieces) == .success(Self.text + [1, 2]))
        }
    }

    @Test func damageIsRefused() {
        let gzip = deflated(Self.text, isGzip: true)
        for count in gzip.indices { #expect(Self.reason(Array(gzip[..<count])) != nil) }
        for offset in [3, 7] {
            var bytes = gzip
            bytes[bytes.count - 1 - offset] ^= 1
            #expect(Self.reason(bytes)?.contains("damaged") == true)
        }
        #expect(Self.reason(gzip + [1]) != nil)
        #expect(Self.reason(gzip + [0, 0, 1])?.contains("follows the end") == true)
        #expect(Self.reason(gzip + gzip.dropLast())?.contains("cut off") == true)
        #expect(Self.reason([])?.contains("empty") == true)
    }

    @Test func whatExpandsTooMuchIsRefused() {
        let bomb = deflated([UInt8](repeating: 0x20, count: 3 << 20), isGzip: true)
        #expect(Self.reason(bomb)?.contains("200 times its length") == true)
        // Members that are each within the bound.
        let member = deflated([UInt8](repeating: 0x20, count: 1 << 17), isGzip: true)
        #expect(Self.reason((0..<50).flatMap { _ in member })?.contains("200 times its length") == true)
        #expect(Self.reason((0..<8).flatMap { _ in member }) == nil)
    }

    @Test func theErrorOfTheReceiverEndsIt() {
        var expander = GzipExpander()
        let gzip = deflated(Self.text, isGzip: true)
        #expect(throws: RecordingError("enough")) {
            try expander.feed(gzip.span) { _ throws(RecordingError) in throw RecordingError("enough") }
        }
    }

    @Test func aCompressedHistoryIsReadAsTheHistory() {
        let ride = FITBytes.ride(5).file
        let gzip = deflated(ride, isGzip: true)
        let plain = ActivityReading(FITDecoder(), ride)
        for pieces in [[], [Int](repeating: 1, count: gzip.count)] {
            #expect(ActivityReading(GzippedHistory(FITDecoder()), gzip, pieces: pieces) == plain)
        }
        let cut = deflated(ride.dropLast(2), isGzip: true)
        #expect(ActivityReading(GzippedHistory(FITDecoder()), cut).damage != nil)
        #expect(ActivityReading(GzippedHistory(FITDecoder()), Array(gzip.dropLast())).failure != nil)
    }

    @Test func noDamageTraps() {
        var generator = SeededGenerator(seed: 6)
        let gzip = deflated(Array(Self.text.prefix(300)), isGzip: true)
        for _ in 0..<2000 {
            let damaged = generator.damaged(gzip + gzip)
            let pieces = generator.pieces(of: damaged.count)
            let (whole, cut) = (Self.expand(damaged), Self.expand(damaged, pieces: pieces))
            if case .success = whole { #expect(whole == cut) } else { #expect((try? cut.get()) == nil) }
        }
    }
}
