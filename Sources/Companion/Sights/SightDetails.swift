import GRDB
import Positioning
import RPC
import TextCoding

/// What is shown of one sight besides what lists say of it.
struct SightDetails: Sendable {
    private let sight: Sight

    /// What there is about a sight.
    init(of sight: Sight, in db: Database) throws { self.sight = sight }

    /// Writes it.
    func writeMembers(to json: inout JSONWriter) { json.member("added", sight.added?.description) }

    static let fields: [Field] = [
        .optional("added", Parameter.time, "When they added it.")
    ]
}
