import Testing
import TextCoding

@Suite struct XMLBoundsTests {
    /// Returns the refusal of a text that comes in pieces of a length; it must not depend on that length.
    private static func refusal(of text: String) -> XMLBounds.Refusal? {
        let bytes = Array(text.utf8)
        let results = [1, 3, max(1, bytes.count)].map { length in
            var bounds = XMLBounds()
            for start in stride(from: 0, to: bytes.count, by: length) {
                let piece = Array(bytes[start..<min(bytes.count, start + length)])
                if let refusal = bounds.refusal(of: piece.span) { return refusal as XMLBounds.Refusal? }
            }
            return nil
        }
        #expect(Set(results).count == 1)
        return results[0]
    }

    private static func attributes(_ count: Int, _ name: String = "a") -> String {
        (0..<count).map { " \(name)\($0) = '='" }.joined()
    }

    private static let most = XMLBounds.maximumAttributes

    @Test func whatElementsHaveIsBounded() {
        #expect(Self.refusal(of: "<a\(Self.attributes(Self.most))/>") == nil)
        #expect(Self.refusal(of: "<a\(Self.attributes(Self.most + 1))/>") == .attributes)
        #expect(Self.refusal(of: "<a \(String(repeating: "n", count: XMLBounds.maximumName))=''/>") == nil)
        #expect(Self.refusal(of: "<a \(String(repeating: "n", count: XMLBounds.maximumName + 1))=''/>") == .name)
        #expect(Self.refusal(of: "<\(String(repeating: "n", count: XMLBounds.maximumName + 1))>") == .name)
    }

    @Test func nestingIsBoundedAndSiblingsAreNot() {
        let depth = XMLBounds.maximumDepth
        #expect(Self.refusal(of: String(repeating: "<a>", count: depth) + "<b/>") == nil)
        #expect(Self.refusal(of: String(repeating: "<a>", count: depth + 1)) == .depth)
        #expect(Self.refusal(of: "<r>" + String(repeating: "<a></a><b />", count: 3 * depth)) == nil)
        let sibling = "<a\(Self.attributes(Self.most / 2, "xmlns:n"))"
        #expect(Self.refusal(of: "<r>" + String(repeating: sibling + "></a>", count: 5)) == nil)
        #expect(Self.refusal(of: "<r>" + String(repeating: sibling + "/>", count: 5)) == nil)
        #expect(Self.refusal(of: String(repeating: sibling + ">", count: 3)) == .namespaces)
    }

    /// Marks within other markup are none.
    @Test(arguments: [
        "<!-- HERE -->", "<!----><!-- - -- HERE -->", "<![CDATA[ ]] ]> HERE ]]>", "<?p HERE ?>", "HERE",
        "<!DOCTYPE a [<!ENTITY b 'HERE'>]>", "<!DOCTYPE a [<!-- it's HERE --><!ELEMENT b ANY>]>", "<!DOCTYPE a>HERE",
        "<a b='HERE' c=\"HERE'\"/>",
    ])
    func otherMarkupIsSkipped(_ text: String) {
        let marks = String(repeating: " = >", count: 2 * Self.most).replacing(">", with: text.contains("?>") ? "?" : "")
        let whole = text.replacing("HERE", with: marks)
        #expect(Self.refusal(of: whole) == nil)
        #expect(Self.refusal(of: whole + "<a\(Self.attributes(Self.most + 1))/>") == .attributes)
    }
}
