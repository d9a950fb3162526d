public import EventStream
import Positioning
public import RPC
public import Service
import Store
import TextCoding

/// The methods about visits: `sights.visits`.
public struct VisitMethods: Sendable {
    private let store: LocationDatabase

    /// The most visits in one page.
    private static let largestPage = 1000

    /// The methods of a companion.
    public init(_ context: ServiceContext) { store = context.store }

    /// The methods.
    public var all: [Method<Principal>] {
        [
            .stored(
                "sights.visits", "When devices were at a sight, the newest first, a page at a time.",
                parameters: [
                    .required("id", Sight.idSchema, "The sight's id."),
                    Field.limit(upTo: Self.largestPage, usually: 50), Field.after,
                ],
                result: .object([
                    .required("count", .integer, "How many there are in all."),
                    .required("visits", .array(of: Self.visit), "The visits of this page."), Field.next,
                ]),
                errors: [.notFound], right: .read, handler: visits)
        ]
    }

    private static let visit = Schema.object([
        .required("device", .string, "The device that was there."),
        .required("entered", Schema.time, "When it came within the radius."),
        .optional(
            "left", Schema.time,
            "When it left; left out while it is there, or where that is not known, as the sight was moved meanwhile."),
        .optional("trip", .string, "The id of the trip on which it came; left out where it came on none."),
    ])

    @Sendable private func visits(_ call: Call<Principal>) async throws -> JSONText {
        let id: String = try call.value("id")
        let limit = try call.limit(usually: 50)
        let text: String? = try call.optional("after")
        let mark = text.flatMap(Visits.Mark.init)
        guard (text == nil) == (mark == nil) else {
            throw RPCError.invalid("after", "must be the next of a page before")
        }
        let (page, last, count) = try await store.read { db in
            guard try SightStore.contains(id, in: db) else { throw SightMethods.unknown(id) }
            var page = TextPage(limit: limit)
            var last: Visits.Mark?
            try Visits.forEach(ofSight: id, after: mark, limit: limit + 1, in: db) { visit, mark in
                guard page.take(.object { visit.writeMembers(to: &$0) }) else { return false }
                last = mark
                return true
            }
            return (page, last, try Visits.count(ofSight: id, in: db))
        }
        return .object { json in
            json.member("count", count)
            page.write("visits", to: &json)
            if page.isFull { json.member("next", last?.description) }
        }
    }
}

extension Visits.Visit {
    fileprivate func writeMembers(to json: inout JSONWriter) {
        json.member("device", device)
        json.member("entered", entered.description)
        json.member("left", left?.description)
        json.member("trip", trip)
    }
}
