import CXML2
import GPX
import Positioning

/// Reads the elements of an XML document with libxml2's push parser, for documents of whose attributes at most one
/// matters.
///
/// It opens nothing outside the document and refuses document types, so there are no entities to expand except the five
/// of XML itself; see `XMLPushParser` of the room GPX. Names come without their prefixes.
///
/// Only one task at a time may use it.
final class XMLElements {
    /// A piece of the document.
    enum Piece {
        /// An element begins; its name is that at this index of the list, or `nil` if it is not in the list.
        case begin(Int?)
        /// The value of the attribute that matters, of the element that has just begun, as the range of ``text``.
        case attribute(Range<Int>)
        /// The innermost open element ends.
        case end
        /// A text with expanded entities, as the range of ``text``; several may follow one another.
        case text(Range<Int>)
    }

    private let parser: XMLPushParser<Reading>

    /// The pieces of the last call of ``parse(_:)`` or ``finish()``.
    var pieces: [Piece] { parser.handler.pieces }
    /// The bytes to which the ranges of ``pieces`` refer.
    var text: [UInt8] { parser.handler.text }
    /// The reason why reading ended.
    var failure: RecordingError? { parser.handler.failure }

    /// Creates a parser at the beginning of a document.
    ///
    /// - Parameters:
    ///   - root: the name of the root element.
    ///   - names: the names of the elements that matter.
    ///   - attribute: the name of the attribute that matters; `nil` if none does.
    ///   - encodingIsKnown: whether the bytes are UTF-8, whatever the document declares.
    init(root: String, names: [String], attribute: String? = nil, encodingIsKnown: Bool) {
        parser = unsafe XMLPushParser(encodingIsKnown: encodingIsKnown) { context in
            unsafe Reading(context, root: root, names: names, attribute: attribute)
        }
    }

    /// Reads bytes, and replaces ``pieces`` by those that are complete; does nothing after a failure.
    func parse(_ bytes: Span<UInt8>) {
        parser.handler.clear()
        parser.parse(bytes)
    }

    /// Ends the document, and replaces ``pieces`` by the last ones.
    func finish() {
        parser.handler.clear()
        parser.finish()
    }
}
