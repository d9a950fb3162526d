import RPC
import TestSupport
import Testing

@Suite struct LineFramingTests {
    private func lines(_ pieces: [[UInt8]]) throws -> [String] {
        var framing = LineFraming()
        var lines: [[UInt8]] = []
        for piece in pieces { try framing.feed(piece.span, into: &lines) }
        framing.finish(into: &lines)
        return lines.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func linesDoNotDependOnHowTheBytesAreSplit() throws {
        let text = Array("one\n\ntwo é\r\n\r\nthree\n\nlast".utf8)
        for first in 0...text.count {
            for second in first...text.count {
                let pieces = [Array(text[..<first]), Array(text[first..<second]), Array(text[second...])]
                #expect(try lines(pieces) == ["one", "two é", "three", "last"])
            }
        }
        #expect(try lines(text.map { [$0] }) == ["one", "two é", "three", "last"])
    }

    @Test func aLineMayBeAsLongAsTheLimitButNotLonger() throws {
        let longest = [UInt8](repeating: 0x61, count: LineFraming.maximumLength)
        #expect(try lines([longest + [0x0A]]).map(\.utf8.count) == [LineFraming.maximumLength])
        #expect(try lines([longest]).map(\.utf8.count) == [LineFraming.maximumLength])
        var framing = LineFraming()
        var found: [[UInt8]] = []
        try framing.feed((Array("first\n".utf8) + longest).span, into: &found)
        #expect(throws: LineFraming.LineTooLong.self) { try framing.feed([0x61].span, into: &found) }
        #expect(throws: LineFraming.LineTooLong.self) { try framing.feed(Array("\nnext\n".utf8).span, into: &found) }
        framing.finish(into: &found)
        #expect(found == [Array("first".utf8)])
    }

    @Test func linesBeforeATooLongLineAreReturned() {
        var framing = LineFraming()
        var found: [[UInt8]] = []
        let bytes = Array("a\nb\n".utf8) + [UInt8](repeating: 0x61, count: LineFraming.maximumLength + 1)
        #expect(throws: LineFraming.LineTooLong.self) { try framing.feed(bytes.span, into: &found) }
        #expect(found == [Array("a".utf8), Array("b".utf8)])
    }
}
