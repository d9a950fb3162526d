import FeatureSupport
import GRDB
import Store
import TestSupport
import Testing
import Tracking

/// The cost of reading the event log in steps of SQLite's virtual machine, in one log and in one four times as long.
@Suite(.slow) struct EventGrowthTests {
    private static func query(_ change: (inout EventQuery) -> Void) -> EventQuery {
        var query = EventQuery()
        change(&query)
        return query
    }

    /// Stores `count` events, one a minute, of which the 100th is of a rare type, device and geofence.
    private func world(_ count: Int) async throws -> CoreFixture {
        let core = try CoreFixture()
        let records = (0..<count).map { number in
            let isRare = number == 100
            return EventRecord(
                time: moment(Double(number * 60)), type: isRare ? "trip.revised" : "geofence.enter",
                device: isRare ? "rare" : "van\(number % 9)", subject: isRare ? "region/rare" : "sight/s\(number % 50)",
                members: Array(#""a":1"#.utf8))
        }
        try await core.store.write { _ = try EventLog.append(records, to: $0) }
        return core
    }

    private static let queries = [
        EventQuery(), query { $0.from = moment(4_096 * 60 - 3_600) }, query { $0.until = moment(3_600) },
        query { $0.types = ["trip.*"] }, query { $0.types = ["trip.revised"] }, query { $0.devices = ["rare"] },
        query { $0.subjects = ["region/rare"] }, query { $0.kinds = ["region"] }, query { $0.devices = ["van3"] },
    ]

    @Test(arguments: queries) func aPageOfASearchCostsTheSameInALongerLog(query: EventQuery) async throws {
        for isBackward in [false, true] {
            var costs: [Int] = []
            for size in [4_096, 16_384] {
                let core = try await world(size)
                costs.append(
                    try await core.steps {
                        // The rest of the log has no match, so that a search that finds little must cross all of it.
                        var place: Int64 = isBackward ? .max : 0
                        var found = 0
                        while found < 10 {
                            let step = try await core.store.read { [place] db in
                                isBackward
                                    ? try EventLog.search(query, before: place, limit: 10, in: db)
                                    : try EventLog.search(query, after: place, limit: 10, in: db)
                            }
                            found += step.events.count
                            guard isBackward ? step.reached < place : step.reached > place else { break }
                            place = step.reached
                        }
                    })
            }
            // A block of the log has 256 events.
            #expect(costs[1] <= costs[0] * 3 / 2 + 2_000, "\(costs)")
        }
    }

    @Test func writingAnEventCostsTheSameInALongerLog() async throws {
        var costs: [Int] = []
        for size in [4_096, 16_384] {
            let core = try await world(size)
            costs.append(
                try await core.steps {
                    for number in 0..<256 {
                        try await core.store.write { db in
                            let event = EventRecord(
                                time: moment(Double(number)), type: "trip.end", device: "van", subject: nil,
                                members: Array(#""a":1"#.utf8))
                            _ = try EventLog.append([event], to: db)
                        }
                    }
                })
        }
        #expect(costs[1] <= costs[0] * 3 / 2 + 2_000, "\(costs)")
    }
}
