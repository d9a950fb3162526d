import EventStream
import Geodesy
import RPC
import Service
import Store
import TextCoding

/// The methods about whatever people react to, of whatever kind.
struct SubjectMethods: Sendable {
    private let context: ServiceContext

    /// The methods of a companion.
    init(_ context: ServiceContext) { self.context = context }

    /// The methods.
    var all: [Method<Principal>] {
        [
            .stored(
                "subjects.share", "The words by which to tell others of something, in a mail or a message.",
                parameters: [Subjects.field],
                result: .object([
                    .required("subject", .string, "What, as KIND/ID."),
                    .required("title", .string, "What people call it."),
                    .required("text", .string, "The words: what it is called, where it is, and the link."),
                    .required("link", .string, "The link alone."),
                ]),
                errors: [.notFound, .invalidValue], right: .read, handler: share)
        ]
    }

    @Sendable private func share(_ call: Call<Principal>) async throws -> JSONText {
        let (name, viewer): (String, Viewer) = (try call.value("subject"), call.viewer)
        let subject = try await context.store.read { [context] db in
            try context.subjects.find(name, for: viewer, in: db)
        }
        let link = subject.id.destination
        let place = subject.place.map { ", at \($0.words)" } ?? ""
        return .object { json in
            json.member("subject", subject.id.description)
            json.member("title", subject.title)
            json.member("text", "\(subject.title)\(place): \(link)")
            json.member("link", link)
        }
    }
}

extension Coordinate {
    /// Latitude and longitude as people write them, to a metre: `52.37° N, 4.89° E`.
    fileprivate var words: String {
        func words(_ degrees: Double, _ positive: String, _ negative: String) -> String {
            "\(DecimalText.string(abs(degrees), decimals: 5))° \(degrees < 0 ? negative : positive)"
        }
        return "\(words(latitude, "N", "S")), \(words(longitude, "E", "W"))"
    }
}
