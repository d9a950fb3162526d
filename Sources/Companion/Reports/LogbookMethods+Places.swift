import Callers
import GRDB
import People
import RPC
import Service
import Store
import Time
import Tracking

extension LogbookMethods {
    /// The methods about the sights from which the logbook knows what trips are for.
    ///
    /// They tell where people live and work, so they need the right to change.
    var rules: [Method<Principal>] {
        [
            .stored(
                "logbook.places", "Lists the sights that tell the logbook what trips from and to them are for.",
                answers: Self.places, right: .change
            ) { _ in
                try await store.read { try LogbookRules.places(in: $0) }
            },
            .stored(
                "logbook.setPlace",
                "Says what a sight is to the drivers. From then on, trips between home and work are commutes, and those "
                    + "from or to a business sight are for business, unless somebody says otherwise.",
                Parameter<String>.required("sight", .string(length: 1...512), "The sight's id."),
                Parameter<RoleChoice>.required("role", "What it is: home, work, business, or none."),
                answers: Self.places, errors: [.notFound, .conflict], right: .change
            ) { _, sight, role in
                try await editor.change { db, _ in
                    let others = try LogbookRules.places(in: db).filter { $0.sight != sight }
                    guard role == .none || others.count < LogbookRules.mostPlaces else {
                        throw Refusal.conflict("At most \(LogbookRules.mostPlaces) sights can have a role.")
                    }
                    guard try LogbookRules.set(role.role, ofSight: sight, in: db) else {
                        throw Refusal.notFound("There is no sight \(sight); sights.list lists them.")
                    }
                    return try LogbookRules.places(in: db)
                }
            },
            .stored(
                "logbook.apply",
                "Enters what the sights with a role tell of past trips, in pages, newest first. What somebody has said "
                    + "by hand stays.",
                .optional("device", .deviceName, "Only trips of this device."),
                .time("from", "Only trips that began at this time or later."),
                .time("to", "Only trips that began before this time."),
                .page(of: "logbook.apply", by: TripMark.self, upTo: Self.largestApplied, default: Self.largestApplied),
                answers: Applied.shape, errors: [.notFound, .invalidValue], right: .change, handler: apply),
        ]
    }

    private static let places = AnswerShape<[LogbookRules.Place]>.object {
        Member("places", .array(of: LogbookRules.Place.shape), "The sights with a role.") { $0 }
    }

    /// The most trips of one call: a transaction of a tenth of a second.
    private static let largestApplied = 200

    /// What a sight is, or nothing.
    private enum RoleChoice: String, CaseIterable, Sendable {
        case home, work, business, none

        var role: LogbookRules.Role? { LogbookRules.Role(rawValue: rawValue) }
    }

    /// The result of applying the rules to a page of trips.
    private struct Applied: Answerable, Sendable {
        var changed: Int
        var same: Int
        var next: String?

        static let shape = AnswerShape<Applied>.object {
            Member("changed", .integer, "The number of trips whose entry has changed.") { $0.changed }
            Member("same", .integer, "The number of trips whose entry has not changed.") { $0.same }
            Member.next { $0.next }
        }
    }

    @Sendable private func apply(
        _ call: Call<Principal>, device: String?, since: Timestamp?, until: Timestamp?, asked: PageRequest<TripMark>
    ) async throws -> Applied {
        var query = TripQuery(since: since, until: until, before: asked.after?.mark, limit: asked.limit + 1)
        if let device { query.device = try await deviceDirectory.device(device, for: call.viewer).name }
        let now = now()
        return try await editor.change { [query] db, _ in
            let places = try LogbookRules.places(in: db)
            let trips = try Travels.trips(query, in: db).reversed().map(\.summary)
            let page = trips.prefix(asked.limit)
            let ended = page.filter { $0.end != nil }
            let changed = try ended.count { try LogbookRules.apply(toTrip: $0.id, by: places, at: now, in: db) }
            var next: String?
            if trips.count > asked.limit, let last = page.last {
                next = asked.next(after: TripMark(TripQuery.Mark(start: last.start, id: last.id)))
            }
            return Applied(changed: changed, same: ended.count - changed, next: next)
        }
    }
}

extension LogbookRules.Place: Answerable {
    static let shape = AnswerShape<LogbookRules.Place>.object {
        Member("sight", .text, "The sight's id.") { $0.sight }
        Member("title", .text, "The sight's title.") { $0.title }
        Member("role", .choice, "What it is to the drivers.") { $0.role }
    }
}
