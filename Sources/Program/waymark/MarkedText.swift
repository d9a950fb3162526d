/// The text of a notification as the daemon sends it.
///
/// Emphasis stands between `<b>` and `</b>`; `&`, `<` and `>` are entities.
struct MarkedText {
    /// The text in pieces; every second piece is emphasised.
    private let pieces: [String]

    init(_ markup: String) {
        pieces = markup.replacing("</b>", with: "<b>").split(separator: "<b>", omittingEmptySubsequences: false).map {
            // The ampersand comes last, so that no entity is decoded twice.
            String($0).replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&amp;", with: "&")
        }
    }

    /// The text without emphasis.
    var plain: String { pieces.joined() }

    /// Returns the text for a terminal, with its emphasis in bold.
    func painted(_ paint: Paint) -> String {
        pieces.enumerated().map { index, piece in
            let piece = EventFormatter.printable(piece)
            return index.isMultiple(of: 2) || piece.isEmpty ? piece : paint.bold(piece)
        }.joined()
    }
}
