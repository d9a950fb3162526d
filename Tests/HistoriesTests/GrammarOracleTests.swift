import Histories
import Positioning
import TestSupport
import Testing

/// A recogniser of JSON by the productions of RFC 8259, one function each.
///
/// It is slow and recursive; the bytes of texts are not decoded.
private struct Grammar {
    let bytes: [UInt8]
    var at = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func accepts() -> Bool {
        blanks()
        guard value() else { return false }
        blanks()
        return at == bytes.count
    }

    private mutating func value() -> Bool {
        switch peek {
        case "{": list("{", "}") { $0.member() }
        case "[": list("[", "]") { $0.value() }
        case "\"": text()
        case "t": word("true")
        case "f": word("false")
        case "n": word("null")
        default: number()
        }
    }

    private mutating func list(_ open: Character, _ close: Character, _ item: (inout Grammar) -> Bool) -> Bool {
        guard consume(open) else { return false }
        blanks()
        if consume(close) { return true }
        repeat {
            blanks()
            guard item(&self) else { return false }
            blanks()
        } while consume(",")
        return consume(close)
    }

    private mutating func member() -> Bool {
        guard text() else { return false }
        blanks()
        guard consume(":") else { return false }
        blanks()
        return value()
    }

    private mutating func text() -> Bool {
        guard consume("\"") else { return false }
        while at < bytes.count {
            if consume("\"") { return true }
            if consume("\\") {
                if consume("u") {
                    for _ in 0..<4 {
                        guard consume(where: { "0123456789abcdefABCDEF".contains($0) }) else { return false }
                    }
                } else {
                    guard consume(where: { "\"\\/bfnrt".contains($0) }) else { return false }
                }
            } else {
                guard bytes[at] >= 0x20 else { return false }
                at += 1
            }
        }
        return false
    }

    private mutating func number() -> Bool {
        _ = consume("-")
        if !consume("0") { guard digits() else { return false } }
        if consume(".") { guard digits() else { return false } }
        if consume("e") || consume("E") {
            _ = consume("+") || consume("-")
            guard digits() else { return false }
        }
        return true
    }

    private mutating func digits() -> Bool {
        let start = at
        while consume(where: { "0123456789".contains($0) }) {}
        return at > start
    }

    private mutating func word(_ word: String) -> Bool { word.allSatisfy { consume($0) } }

    private mutating func blanks() {
        while consume(where: { " \t\n\r".unicodeScalars.contains($0.unicodeScalars.first ?? "x") }) {}
    }

    private var peek: Character { at < bytes.count ? Character(Unicode.Scalar(bytes[at])) : "\0" }

    private mutating func consume(_ character: Character) -> Bool { consume { $0 == character } }

    private mutating func consume(where isWanted: (Character) -> Bool) -> Bool {
        guard at < bytes.count, isWanted(peek) else { return false }
        at += 1
        return true
    }
}

@Suite struct GrammarOracleTests {
    @Test func aTextIsRefusedForItsGrammarIfTheGrammarRefusesIt() {
        let texts =
            [Sample.googleSemantic, Sample.timelineIOS, Sample.overland].map { Array($0.utf8) }
            + [Array(#"{"a":[-0.5e+7,1E5,true,false,null,"\u00e9\\",{},[],{"b":[[1],[2,3]]}],"c":"" }"#.utf8)]
        let signs = Array("{}[],:\"\\-+.eE0159tfn u\t\n".utf8)
        var generator = SeededGenerator(seed: 8259)
        var accepted = 0
        for round in 0..<2000 {
            var bytes = texts[round % texts.count]
            for _ in 0..<Int.random(in: 0...2, using: &generator) {
                let index = Int.random(in: 1..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[index] = signs.randomElement(using: &generator) ?? 0
                case 1: bytes.insert(signs.randomElement(using: &generator) ?? 0, at: index)
                default: bytes.remove(at: index)
                }
            }
            var grammar = Grammar(bytes)
            let isJSON = grammar.accepts()
            if isJSON { accepted += 1 }
            // Only an error of the grammar has a line.
            #expect((Reading(bytes).error?.line == nil) == isJSON, "\(String(decoding: bytes, as: UTF8.self))")
        }
        #expect((500..<1800).contains(accepted))
    }
}
