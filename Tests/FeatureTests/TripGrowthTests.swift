import FeatureSupport
import Geodesy
import Store
import TestSupport
import Testing
import Time
import Tracking

/// The cost of pages of trips in steps of SQLite's virtual machine, among few trips and among four times as many.
@Suite(.slow) struct TripGrowthTests {
    /// Stores `count` trips of five devices, one a minute.
    private func world(_ count: Int) throws -> CoreFixture {
        let core = try CoreFixture()
        var pending = PendingCommit()
        for number in 0..<count {
            let device = "van\(number % 5)"
            var trip = TripSummary(device: device, start: moment(Double(number * 60)))
            pending.changes[device, default: []].append(.tripBegan(trip))
            trip.end = trip.start.advanced(byMilliseconds: 30_000)
            pending.changes[device, default: []].append(.tripEnded(trip))
        }
        _ = try core.store.commit(pending)
        return core
    }

    private func costs(_ read: (CoreFixture) throws -> Void) async throws -> [Int] {
        var costs: [Int] = []
        for count in [200, 800] {
            let core = try world(count)
            costs.append(try await core.steps { try read(core) })
        }
        return costs
    }

    @Test(arguments: [nil, "van3"]) func thePageOfTheOldestTripsCostsTheSameAmongMore(device: String?) async throws {
        let mark = TripQuery.Mark(start: moment(60 * 60), id: "van0")
        let queries = [
            TripQuery(device: device, before: mark, limit: 10),
            TripQuery(device: device, until: moment(100 * 60), before: mark, limit: 10),
            TripQuery(device: device, until: moment(60 * 60), limit: 10),
        ]
        let costs = try await costs { core in
            for query in queries {
                let trips = try core.store.read { try Travels.trips(query, in: $0) }
                #expect(trips.count == 10)
            }
        }
        #expect(costs[1] <= costs[0] * 5 / 4, "\(costs)")
    }

    @Test func theOldestTripsNearAPlaceCostTheSameAmongMore() async throws {
        let place = try #require(Coordinate(latitude: 52.37, longitude: 4.89))
        let query = TripQuery(before: TripQuery.Mark(start: moment(10 * 60), id: "van0"), limit: 10)
        let costs = try await costs { core in
            // The trips have no points, so each of the ten is looked at and none is found.
            let near = try core.store.read { try TripsNear(place, within: .meters(100), query, in: $0) }
            #expect(near.found.isEmpty)
        }
        #expect(costs[1] <= costs[0] * 5 / 4, "\(costs)")
    }
}
