import Daemon
import Geodesy
import Positioning
import RPC
import Store
import TextCoding
import Tracking

/// Benchmarks of a store with many plans.
///
/// A page is read by its method and by plain SQL for the same rows. Two more benchmarks measure the cost of a fix among
/// geofences, which are sights in one and locations in the other.
enum PlanBenchmarks {
    static let all = [
        Benchmark(name: "plans", files: []) { _ in
            let scratch = try ScratchFolder()
            let making = Stopwatch()
            let store = try Stores.open(at: scratch.file("store"))
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
            SELECT \(plan) FROM \(plans)
            WHERE plan.number IN (SELECT plan FROM plan_member WHERE person = 1 AND state = 'member')
                \(key.map { "AND (plan.created, plan.number) < (\($0.joined(separator: ", ")))" } ?? "")
            ORDER BY plan.created DESC, plan.number DESC LIMIT 50
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
        CompanionList(
            name: "plans.get", elements: "members", parameters: ["plan": "plan1"], isLimited: false,
            also: [
                "SELECT \(plan) FROM \(plans) WHERE plan.id = 'plan1'",
                "SELECT count(*) FROM location WHERE plan = 1 AND level >= 0",
                "SELECT count(*) FROM photo WHERE subject = (SELECT number FROM subject WHERE id = 'plan/plan1')",
                "SELECT count, total FROM rating WHERE subject = (SELECT number FROM subject WHERE id = 'plan/plan1')",
            ]
        ) { _ in
            "SELECT * FROM plan_member JOIN person ON person.number = plan_member.person WHERE plan = 1"
        },
        CompanionList(
            name: "plans.itinerary", elements: "days", parameters: ["plan": "plan1"], isLimited: false,
            also: ["SELECT * FROM plan_member JOIN person ON person.number = plan_member.person WHERE plan = 1"]
        ) { _ in
            """
            SELECT *,
                (SELECT group_concat(target) FROM activity_link WHERE activity_link.activity = activity.number),
                (SELECT group_concat(member) FROM activity_member WHERE activity_member.activity = activity.number)
            FROM activity WHERE plan = 1
            ORDER BY coalesce(start_time, end_time, 9223372036854775807), number
            """
        },
        CompanionList(name: "locations.list", elements: "locations", parameters: ["plan": "plan1"]) { _ in
            """
            SELECT location.*, (SELECT count(*) FROM photo WHERE photo.subject = own.number), (
                SELECT number FROM photo WHERE photo.subject = own.number ORDER BY cover DESC, place LIMIT 1)
            FROM location LEFT JOIN subject AS own ON own.id = 'location/' || location.id
            WHERE plan = 1 ORDER BY position, location.number LIMIT 50
            """
        },
        CompanionList(
            name: "expenses.balances", elements: "balances", parameters: ["plan": "plan1"], isLimited: false,
            also: ["SELECT * FROM plan_member JOIN person ON person.number = plan_member.person WHERE plan = 1"]
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

    /// The columns that a list returns for each plan.
    private static let plan = """
        plan.*, owner.id, owner.first_name, owner.last_name,
        (SELECT group_concat(code, char(10)) FROM plan_postal_code WHERE plan_postal_code.plan = plan.number),
        (SELECT name FROM location WHERE location.plan = plan.number ORDER BY position, number LIMIT 1),
        (SELECT location.lat_e7 || ' ' || location.lon_e7 FROM location
            WHERE location.plan = plan.number AND location.lat_e7 IS NOT NULL ORDER BY position, number LIMIT 1),
        (SELECT number FROM photo WHERE photo.subject = own.number ORDER BY cover DESC, place LIMIT 1),
        EXISTS (SELECT 1 FROM reaction WHERE reaction.subject = own.number AND kind = 'like' AND reaction.person = 1),
        EXISTS (SELECT 1 FROM reaction WHERE reaction.subject = own.number AND kind = 'save' AND reaction.person = 1),
        \(reach)
        """

    /// The relation to compare with the plan's level: whether the person is its owner, a member, or a friend of the
    /// owner.
    private static let reach = """
        CASE WHEN plan.owner = 1 THEN 0
            WHEN EXISTS (SELECT 1 FROM plan_member
                WHERE plan_member.plan = plan.number AND person = 1 AND state = 'member') THEN 1
            WHEN EXISTS (SELECT 1 FROM plan_grant WHERE plan_grant.plan = plan.number AND person = 1) THEN 1
            WHEN EXISTS (SELECT 1 FROM friend WHERE person = plan.owner AND other = 1) THEN 2
            ELSE 3 END
        """

    private static let plans = """
        plan JOIN person AS owner ON owner.number = plan.owner LEFT JOIN subject AS own ON own.id = 'plan/' || plan.id
        """

    /// Returns the query for a page; it chooses the rows first, and looks up the other columns only for these.
    private static func explore(_ rank: String, _ condition: String, _ key: [String]?) -> String {
        """
        SELECT \(plan) FROM (
            SELECT plan.number AS chosen FROM plan
            WHERE \(condition) \(key.map { "AND (\(rank), plan.number) < (\($0.joined(separator: ", ")))" } ?? "")
            ORDER BY \(rank) DESC, plan.number DESC LIMIT 50)
        CROSS JOIN \(plans) WHERE plan.number = chosen ORDER BY plan.\(rank) DESC, plan.number DESC
        """
    }

    /// Returns the benchmark of a million fixes among 200,000 geofences of a kind, at the same places for each kind.
    private static func watched(_ kind: String) -> Benchmark {
        let count = PlanMaker.plans * PlanMaker.locations
        return Benchmark(name: "plans-fix-\(kind)", files: [.fixes]) { work in
            var random = WorkloadGenerator(seed: 36)
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
