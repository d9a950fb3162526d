import CXML2

/// Says plainly what libxml2 says of damage.
enum XMLComplaint {
    /// What is wrong with a document that is empty but for blanks and comments.
    static let noElement = "the document holds no element; expected XML with the root element <gpx>"
    /// What is wrong with a document of which the end is missing.
    static let cutOff = "the document is cut off: it ends before </gpx>"
    /// What is wrong with an & that stands for itself.
    static let strayAmpersand = "an & that begins no reference; as a character it is written &amp;"

    /// What is wrong with a reference to an entity that only the document could have declared.
    static let unknownEntity = "the document uses an entity that is not one of XML's own five"

    /// The reason for one of libxml2's errors, as a clause.
    static func reason(code: CInt, message: String, hasBegun: Bool, hasEnded: Bool) -> String {
        let code = xmlParserErrors(rawValue: UInt32(bitPattern: code))
        if hasEnded, code == XML_ERR_RESERVED_XML_NAME || code == XML_ERR_DOCUMENT_END {
            return "something follows the end of the document at </gpx>"
        }
        if !hasBegun, code == XML_ERR_DOCUMENT_END || code == XML_ERR_DOCUMENT_EMPTY { return noElement }
        return switch code {
        case XML_ERR_NO_MEMORY: "the document has too many different names, or memory is short"
        case XML_ERR_RESERVED_XML_NAME where hasBegun: "a second document begins within the document"
        case XML_ERR_RESERVED_XML_NAME: "something stands before the XML declaration, even if only a blank line"
        case XML_ERR_NAME_REQUIRED, XML_ERR_ENTITYREF_SEMICOL_MISSING, XML_ERR_ENTITYREF_NO_NAME: strayAmpersand
        case _ where message.contains("not proper UTF-8"):
            "a character is not UTF-8, and no other encoding is declared"
        case XML_ERR_UNDECLARED_ENTITY, XML_WAR_UNDECLARED_ENTITY:
            unknownEntity
        default: cleaned(message)
        }
    }

    /// The message on one line, without the name of a function before it or a full stop behind.
    private static func cleaned(_ message: String) -> String {
        var words = message.split(whereSeparator: \.isWhitespace).prefix(40)
        if words.first?.hasPrefix("xml") == true, let colon = words.firstIndex(where: { $0.hasSuffix(":") }) {
            words.removeFirst(colon + 1)
        }
        let line = words.joined(separator: " ")
        let clause = line.hasSuffix(".") ? String(line.dropLast()) : line
        return clause.isEmpty ? "the XML is damaged" : "the XML is damaged: \(clause)"
    }
}
