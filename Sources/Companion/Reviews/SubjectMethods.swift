import Callers
import Geodesy
import RPC
import Service
import Store
import TextCoding

/// The RPC methods about subjects of all kinds.
struct SubjectMethods: Sendable {
    private let context: ServiceContext

    init(_ context: ServiceContext) { self.context = context }

    /// All methods about subjects.
    var all: [Method<Principal>] {
        [
            .stored(
                "subjects.share", "Returns a text and a link for sharing something in a mail or a message.", .subject,
                answers: .object {
                    Member("subject", .text, "The subject, as KIND/ID.") { $0.id.description }
                    Member("title", .text, "The title.") { $0.title }
                    Member("text", .text, "The text to share: the title, the position if there is one, and the link.") {
                        subject in
                        let place = subject.place.map { ", at \($0.words)" } ?? ""
                        return "\(subject.title)\(place): \(subject.id.destination)"
                    }
                    Member("link", .text, "The link.") { $0.id.destination }
                }, errors: [.notFound, .invalidValue], right: .read, handler: share)
        ]
    }

    @Sendable private func share(_ call: Call<Principal>, name: String) async throws -> Subject {
        let viewer = call.viewer
        return try await context.store.read { [context] db in
            try context.subjects.find(name, for: viewer, in: db)
        }
    }
}

extension Coordinate {
    /// The latitude and longitude in words, to about a metre: `52.37° N, 4.89° E`.
    fileprivate var words: String {
        func words(_ degrees: Double, _ positive: String, _ negative: String) -> String {
            "\(DecimalText.string(abs(degrees), decimals: 5))° \(degrees < 0 ? negative : positive)"
        }
        return "\(words(latitude, "N", "S")), \(words(longitude, "E", "W"))"
    }
}
