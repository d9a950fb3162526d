import GRDB
import Positioning
import RPC
import Service
import TextCoding

/// What is shown of one sight besides what lists say of it.
struct SightDetails: Sendable {
    private let added: Timestamp?
    private let rating: RatingSummary
    /// The id of the photo that stands for it.
    private let cover: String?
    private let photos: Int

    /// What there is about a sight.
    init(of sight: Sight, in db: Database) throws {
        added = sight.added
        let subject = SubjectID(kind: SightSubject.kind, id: sight.id)
        rating = try Subjects.rating(of: subject, in: db)
        cover = try Subjects.cover(of: subject, in: db)
        photos = try Subjects.photoCount(of: subject, in: db)
    }

    /// Writes it.
    func writeMembers(to json: inout JSONWriter) {
        json.member("added", added?.description)
        json.object("rating") { rating.writeMembers(to: &$0) }
        json.member("cover", cover)
        if photos > 0 { json.member("photos", photos) }
    }

    static let fields: [Field] = [
        .optional("added", Schema.time, "When they added it."),
        .required("rating", .object(RatingSummary.fields), "What people make of it."),
        .optional("cover", .string, "The id of the photo that stands for it; left out where it has none."),
        .optional("photos", .integer, "How many photos it has; left out where it has none."),
    ]
}
