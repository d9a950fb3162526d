import GRDB
import RPC
import Service
import Subjects

/// A sight with its rating, cover and number of photos, which lists do not show.
struct SightDetails: Answerable, Sendable {
    private let sight: Sight
    private let rating: RatingSummary
    /// The id of the photo that represents the sight.
    private let cover: String?
    private let photos: Int

    /// Reads the rating and photos of a sight.
    init(of sight: Sight, in db: Database) throws {
        self.sight = sight
        let subject = SubjectID(kind: SightSubject.kind, id: sight.id)
        rating = try Subjects.rating(of: subject, in: db)
        cover = try Subjects.cover(of: subject, in: db)
        photos = try Subjects.photoCount(of: subject, in: db)
    }

    static let shape = AnswerShape<SightDetails>.object {
        Sight.whole.of { $0.sight }
        Member.optional("added", .time, "The time at which that person added it.") { $0.sight.added }
        Member("rating", RatingSummary.shape, "The summary of its ratings.") { $0.rating }
        Member.optional("cover", .text, "The id of its cover photo; absent if it has none.") {
            $0.cover
        }
        Member.optional("photos", .integer, "The number of its photos; absent if it has none.") {
            $0.photos > 0 ? $0.photos : nil
        }
    }
}
