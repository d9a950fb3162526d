import GRDB
import Positioning
import RPC
import TextCoding

/// What is shown of one sight besides what lists say of it.
struct SightDetails: Sendable {
    private let added: Timestamp?
    private let rating: RatingSummary

    /// What there is about a sight.
    init(of sight: Sight, in db: Database) throws {
        added = sight.added
        rating = try Reviews.summary(of: SubjectID(kind: SightSubject.kind, id: sight.id), in: db)
    }

    /// Writes it.
    func writeMembers(to json: inout JSONWriter) {
        json.member("added", added?.description)
        json.object("rating") { rating.writeMembers(to: &$0) }
    }

    static let fields: [Field] = [
        .optional("added", Parameter.time, "When they added it."),
        .required("rating", .object(RatingSummary.fields), "What people make of it."),
    ]
}
