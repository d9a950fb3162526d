import Testing

@testable import Store

@Suite struct IdentifierTests {
    @Test(arguments: [
        "old-mill", "Old Mill 2", "å/b", "日本", "می‌خواهم", "⛪️", "👩‍👩‍👧", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", " a", "क्‍ष",
    ])
    func aVisibleTextIsAcceptedUnchanged(text: String) throws {
        #expect(try Identifier(text).text.utf8.elementsEqual(text.utf8))
    }

    @Test(arguments: [
        "", " ", "\n", "a\0b", "\0", "a\tb", "a\u{7F}", "a\u{9B}b", "a\u{200B}b", "a\u{200D}b", "\u{200C}a",
        "a\u{FE0F}",
        "a\u{202E}b", "a\u{2028}b", "a\u{FEFF}", "a\u{3164}", "a\u{115F}", "a\u{AD}b", "a\u{E0041}", "a\u{2066}b",
    ])
    func aTextWithInvisibleCharactersIsRefused(text: String) {
        #expect(throws: Identifier.Flaw.self) { try Identifier(text) }
    }

    @Test func equivalentTextsHaveTheSameBytes() throws {
        let (one, other) = (try Identifier("caf\u{E9}"), try Identifier("cafe\u{301}"))
        #expect(one == other)
        #expect(one.text.utf8.elementsEqual(other.text.utf8))
        #expect(try Identifier("\u{212B}").text.utf8.elementsEqual("\u{C5}".utf8))
    }

    @Test func theLengthIsLimitedInBytesOfTheNormalForm() throws {
        #expect(try Identifier(String(repeating: "e\u{301}", count: 100)).text.utf8.count == 200)
        #expect(throws: Identifier.Flaw(reason: "longer than 200 bytes")) {
            try Identifier(String(repeating: "a", count: 201))
        }
        #expect(throws: Identifier.Flaw(reason: "longer than 3 bytes")) { try Identifier("abcd", atMost: 3) }
    }

    @Test func theErrorNamesTheInvisibleCharacter() {
        #expect(throws: Identifier.Flaw(reason: "a text with the invisible character U+0000; remove it")) {
            try Identifier("a\0")
        }
        #expect(throws: Identifier.Flaw(reason: "a text with the invisible character U+E0041; remove it")) {
            try Identifier("a\u{E0041}")
        }
    }

    @Test(arguments: [
        ("a\0b", "ab"), ("old\u{200D}-\u{200D}mill", "old-mill"), ("e\0\u{301}", "\u{E9}"), ("\u{202E}\0", nil),
        ("", nil), (String(repeating: "é", count: 150), String(repeating: "é", count: 100)),
    ])
    func aBadTextIsRepairedIfPossible(text: String, repaired: String?) throws {
        #expect(Identifier(repairing: text)?.text == repaired)
    }
}
