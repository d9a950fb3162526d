import Positioning

/// The open elements of a document and the text of the innermost, as a builder of points follows them.
struct ElementPath<Name: RawRepresentable & CaseIterable & Equatable> where Name.RawValue == String {
    /// What a piece of the document means for a builder.
    enum Step {
        /// An element begins in another one; a name is `nil` if it does not matter.
        case begin(Name?, in: Name?)
        /// The attribute that matters has this value.
        case attribute(ArraySlice<UInt8>)
        /// An element that matters has ended; its text is ``ElementPath/text``.
        case end(Name)
    }

    private let names = Array(Name.allCases)
    /// The names of the open elements, the innermost last.
    private(set) var open: [Name?] = []
    /// The text of the element that has just ended, or of the innermost open one since an element began or ended.
    private(set) var text = ElementText()
    private var textIsOver = false

    /// The name of the innermost open element; `nil` if it does not matter, or none is open.
    var parent: Name? { open.last ?? nil }

    /// Follows a piece, and returns what it means.
    mutating func follow(_ piece: XMLElements.Piece, _ bytes: [UInt8]) -> Step? {
        if textIsOver {
            text.clear()
            textIsOver = false
        }
        switch piece {
        case .begin(let index):
            let outer = parent
            let name = index.map { names[$0] }
            open.append(name)
            text.clear()
            return .begin(name, in: outer)
        case .attribute(let range): return .attribute(bytes[range])
        case .text(let range):
            if open.last != .some(nil) { text.append(bytes[range]) }
            return nil
        case .end:
            textIsOver = true
            return (open.popLast() ?? nil).map(Step.end)
        }
    }
}
