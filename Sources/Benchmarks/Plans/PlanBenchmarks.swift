import Daemon
import Geodesy
import Positioning
import RPC
import Store
import TextCoding
import Tracking

/// Plans over a store of many: a page by the method beside plain SQL for the same rows, and what a fix costs where
/// locations are watched.
enum PlanBenchmarks {
    static let all = [
        Benchmark(name: "plans", files: []) { _ in
            let scratch = try ScratchFolder()
            let making = Stopwatch()
            let store = try Storehouse.open(at: scratch.file("store"))
            try PlanMaker.fill(store)
            Figures(workload: "plans-making", count: PlanMaker.plans, took: making.elapsed).print()
            let desk = try CompanionDesk(store: store)
            for list in lists { try await desk.measure(list) }
            try store.close()
        },
        watched("sight"), watched("location"),
    ]

    private static let lists = [
        CompanionList(name: "plans.list", elements: "plans", depth: 400) { key in
            """
            SELECT plan.*, person.first_name FROM plan JOIN person ON person.number = plan.owner
            WHERE plan.number IN (SELECT plan FROM plan_member WHERE person = 1 AND state = 'member')
                \(key.map { "AND (created, plan.number) < (\($0.joined(separator: ", ")))" } ?? "")
            ORDER BY created DESC, plan.number DESC LIMIT 50
            """
        },
        CompanionList(name: "plans.explore", elements: "plans", depth: min(4000, PlanMaker.plans / 4)) {
            explore("published", "published IS NOT NULL", $0)
        },
        CompanionList(
            name: "plans.explore, likes", elements: "plans", parameters: ["order": "likes"],
            depth: min(4000, PlanMaker.plans / 4)
        ) { explore("likes", "published IS NOT NULL", $0) },
        CompanionList(name: "plans.explore, text", elements: "plans", parameters: ["text": "museum"]) {
            explore("published", "published IS NOT NULL AND instr(folded, 'museum') > 0", $0)
        },
        CompanionList(name: "plans.explore, postal code", elements: "plans", parameters: ["postal_code": "0042"]) {
            explore(
                "published",
                "published IS NOT NULL AND plan.number IN (SELECT plan FROM plan_postal_code WHERE code = '0042')", $0)
        },
        CompanionList(name: "plans.get", elements: "members", parameters: ["plan": "plan1"], isLimited: false) { _ in
            "SELECT * FROM plan_member JOIN person ON person.number = plan_member.person WHERE plan = 1"
        },
        CompanionList(name: "plans.itinerary", elements: "days", parameters: ["plan": "plan1"], isLimited: false) { _ in
            "SELECT * FROM activity WHERE plan = 1 ORDER BY coalesce(start_time, end_time, 9223372036854775807), number"
        },
        CompanionList(name: "locations.list", elements: "locations", parameters: ["plan": "plan1"]) { _ in
            "SELECT * FROM location WHERE plan = 1 ORDER BY position, number LIMIT 50"
        },
        CompanionList(
            name: "expenses.balances", elements: "balances", parameters: ["plan": "plan1"], isLimited: false
        ) { _ in
            """
            SELECT member, sum(minor) FROM (
                SELECT member, expense_payer.converted AS minor FROM expense JOIN expense_payer ON expense = number
                WHERE plan = 1 AND personal = 0
                UNION ALL SELECT member, -expense_share.converted FROM expense JOIN expense_share ON expense = number
                WHERE plan = 1 AND personal = 0) GROUP BY member
            """
        },
    ]

    private static func explore(_ rank: String, _ condition: String, _ key: [String]?) -> String {
        """
        SELECT plan.*, person.first_name FROM plan JOIN person ON person.number = plan.owner
        WHERE \(condition) \(key.map { "AND (\(rank), plan.number) < (\($0.joined(separator: ", ")))" } ?? "")
        ORDER BY \(rank) DESC, plan.number DESC LIMIT 50
        """
    }

    /// A million fixes among 200,000 watched places of a kind, at the same places for each kind.
    private static func watched(_ kind: String) -> Benchmark {
        let count = PlanMaker.plans * PlanMaker.locations
        return Benchmark(name: "plans-fix-\(kind)", files: [.fixes]) { work in
            var random = SeededGenerator(seed: 36)
            let country = Country(seed: 1)
            let geofences: [(geofence: Geofence, revision: Int64)] = (1...count).compactMap { number in
                let town = country.town(&random)
                let spread = town.spread / Country.metersPerDegree
                return Coordinate(
                    latitude: town.latitude + random.gauss(spread), longitude: town.longitude + random.gauss(spread)
                ).map { place in
                    let identity = Geofence.Identity(kind: Geofence.Kind(rawValue: kind), id: "\(number)")
                    return (
                        Geofence(identity: identity, title: "Place \(number)", center: place, radius: .meters(100)), 1
                    )
                }
            }
            let index = GeofenceIndex(geofences, revision: 1)
            let fixes = try work.fixes()
            var trackers = (0...fixes.reduce(0) { max($0, $1.device) }).map { Tracker(device: String($0)) }
            var output = Tracker.Output()
            var events = 0
            let watch = Stopwatch()
            for fix in fixes {
                trackers[fix.device].ingest(fix.fix, in: index, into: &output)
                events += output.events.count
                output.events.removeAll(keepingCapacity: true)
                output.changes.removeAll(keepingCapacity: true)
            }
            Figures(workload: "plans-fix-\(kind)-\(geofences.count)", count: fixes.count, took: watch.elapsed).print {
                $0.member("events", events)
            }
        }
    }
}
