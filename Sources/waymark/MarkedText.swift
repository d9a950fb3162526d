/// The text of a notification as it comes: emphasis between `<b>` and `</b>`, and `&`, `<` and `>` as entities.
struct MarkedText {
    /// The text by pieces, of which every second is emphasised.
    private let pieces: [String]

    init(_ markup: String) {
        pieces = markup.replacing("</b>", with: "<b>").split(separator: "<b>", omittingEmptySubsequences: false).map {
            // The ampersand last, so that what was written as an entity stays what it was.
            String($0).replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&amp;", with: "&")
        }
    }

    /// The text without emphasis.
    var plain: String { pieces.joined() }

    /// The text as a terminal shows it, its emphasis bold.
    func painted(_ paint: Paint) -> String {
        pieces.enumerated().map { index, piece in
            let piece = EventLines.printable(piece)
            return index.isMultiple(of: 2) || piece.isEmpty ? piece : paint.bold(piece)
        }.joined()
    }
}
