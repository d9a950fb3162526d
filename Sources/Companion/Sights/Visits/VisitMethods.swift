public import Callers
import People
import Positioning
public import RPC
public import Service
import Store

/// The RPC methods about visits: `sights.visits`.
public struct VisitMethods: Sendable {
    private let store: LocationDatabase

    /// The largest page size, in visits.
    private static let largestPage = 1000

    /// Creates the methods for a service.
    public init(_ context: ServiceContext) { store = context.store }

    /// All methods about visits.
    public var all: [Method<Principal>] {
        [
            .stored(
                "sights.visits", "Lists the visits of devices to a sight in pages, newest first.", .sight,
                .page(of: "sights.visits", upTo: Self.largestPage, default: 50), answers: Answer.shape,
                errors: [.notFound], right: .read, handler: visits)
        ]
    }

    private struct Answer: Answerable, Sendable {
        var count: Int
        var page: Page<Visits.Visit>

        static let shape = AnswerShape<Answer>.object {
            Member("count", .integer, "The total number of visits.") { $0.count }
            Page<Visits.Visit>.members("visits", "The visits of this page.").of { $0.page }
        }
    }

    @Sendable private func visits(
        _ call: Call<Principal>, id: String, asked: PageRequest<PageKey>
    ) async throws -> Answer {
        let viewer = call.viewer
        return try await store.read { db in
            let seen = try DeviceAccess(for: viewer, in: db).scope
            guard let sight = try SightStore.sight(id: id, in: db),
                try SightAccess(for: viewer, in: db).sees(sight)
            else { throw SightMethods.unknown(id) }
            var page = asked.page(of: Visits.Visit.self)
            try Visits.forEach(ofSight: id, among: seen, after: asked.after, limit: asked.limit + 1, in: db) {
                page.append($0, at: $1)
            }
            return Answer(count: try Visits.count(ofSight: id, among: seen, in: db), page: page)
        }
    }
}

extension Visits.Visit: Answerable {
    package static let shape = AnswerShape<Visits.Visit>.object {
        Member("device", .text, "The device.") { $0.device }
        Member("entered", .time, "The time when the device came within the radius.") { $0.entered }
        Member.optional(
            "left", .time,
            "The time when it left; absent while it is there, or if unknown because the sight was moved meanwhile."
        ) { $0.left }
        Member.optional("trip", .text, "The id of the trip on which it came; absent if there was no trip.") {
            $0.trip
        }
    }
}
