import CXML2

/// Translates libxml2's errors into plain reasons.
enum XMLErrorReason {
    /// The reason for a document that has only white space and comments.
    static let noElement = "the document contains no element; expected XML with the root element <gpx>"
    /// The reason for a document without an end.
    static let cutOff = "the document is cut off: it ends before </gpx>"
    /// The reason for an `&` that begins no reference.
    static let strayAmpersand = "an & does not begin a reference; write the character as &amp;"

    /// The reason for a reference to an entity that is not one of XML's own.
    static let unknownEntity = "the document uses an entity that is not one of XML's five predefined ones"

    /// Returns the reason for an error of libxml2, as a clause.
    static func reason(code: CInt, message: String, hasBegun: Bool, hasEnded: Bool) -> String {
        let code = xmlParserErrors(rawValue: UInt32(bitPattern: code))
        if hasEnded, code == XML_ERR_RESERVED_XML_NAME || code == XML_ERR_DOCUMENT_END {
            return "something follows the end of the document at </gpx>"
        }
        if !hasBegun, code == XML_ERR_DOCUMENT_END || code == XML_ERR_DOCUMENT_EMPTY { return noElement }
        return switch code {
        case XML_ERR_NO_MEMORY: "the document has too many different names, or memory is short"
        case XML_ERR_RESERVED_XML_NAME where hasBegun: "a second document begins within the document"
        case XML_ERR_RESERVED_XML_NAME: "there is something before the XML declaration, perhaps only a blank line"
        case XML_ERR_NAME_REQUIRED, XML_ERR_ENTITYREF_SEMICOL_MISSING, XML_ERR_ENTITYREF_NO_NAME: strayAmpersand
        case _ where message.contains("not proper UTF-8"):
            "a character is not UTF-8, and no other encoding is declared"
        case XML_ERR_UNDECLARED_ENTITY, XML_WAR_UNDECLARED_ENTITY:
            unknownEntity
        default: cleaned(message)
        }
    }

    /// Returns a message on one line, without a leading function name and a final full stop.
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
