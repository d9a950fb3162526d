import Foundation
import Store

/// A maker of a store with the plans of a thousand people, which is the same each time.
///
/// It has 10,000 plans of 20 locations and 50 activities. The rows go directly into the tables. Person 1 has the most
/// plans, and plan 1 the most expenses.
enum PlanMaker {
    /// The number of plans, which `WAYMARK_BENCHMARK_PLANS` reduces for a quick check, to 600 at least.
    static let plans =
        ProcessInfo.processInfo.environment["WAYMARK_BENCHMARK_PLANS"].flatMap { Int($0) }.map { max(600, $0) }
        ?? 10_000
    static let locations = 20
    static let activities = 50
    static let members = 4
    static let expenses = 200
    private static let people = CompanionMaker.people
    private static let now = CompanionMaker.now
    /// 1 January 2026 in seconds since 1970.
    private static let newYear = 1_767_225_600

    /// Fills a new store.
    static func fill(_ store: LocationDatabase) throws {
        for sql in [
            CompanionMaker.person, plan, postalCode, member, location, activity, expense, line("payer"), line("share"),
        ] {
            try store.write { db in
                let statement = try DirectStatement(sql, in: db)
                try statement.run()
            }
        }
    }

    /// Plans, of which the first 500 are those of person 1; every second one is published.
    private static let plan = """
        \(CompanionMaker.rows(plans)) INSERT INTO plan (id, owner, creator, created, changed, title, folded, destination,
            lat_e7, lon_e7, zone, people, currency, level, level_before, published, likes, next_turn,
            start_clock, start_zone, start_time, end_clock, end_zone, end_time)
        SELECT 'plan' || i, owner, owner, \(now) - i * 60000, \(now), title, lower(title), 'Place ' || i,
            360000000 + \(CompanionMaker.mixed(31, 240_000_000)), -90000000 + \(CompanionMaker.mixed(32, 390_000_000)),
            'Europe/Amsterdam', 4, 'EUR', CASE WHEN i % 2 = 0 THEN 3 ELSE 2 END, 2,
            CASE WHEN i % 2 = 0 THEN \(now) - i * 60000 END, \(CompanionMaker.mixed(33, 500)), \(expenses) + 1,
            date(day, 'unixepoch'), 'Europe/Amsterdam', day * 1000, date(day + 4320000, 'unixepoch'),
            'Europe/Amsterdam', day * 1000 + 4406400000
        FROM (SELECT i, CASE WHEN i <= 500 THEN 1 ELSE 1 + i % \(people) END AS owner,
            \(CompanionMaker.word(CompanionMaker.categories, 34)) || ' journey ' || i AS title,
            \(newYear) + i % 300 * 86400 AS day FROM n)
        """

    private static let postalCode = """
        INSERT INTO plan_postal_code SELECT number, 0, printf('%04d', number % 1000) FROM plan
        """

    /// The members of each plan: the owner and three others, all of whom travel.
    private static let member = """
        INSERT OR IGNORE INTO plan_member (plan, person, state, edits, travels, time)
        SELECT number, CASE WHEN place = 0 THEN owner ELSE 1 + (owner + place * 7 + number) % \(people) END, 'member',
            place < 2, 1, \(now)
        FROM plan, (SELECT 0 AS place UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3)
        """

    private static let location = """
        \(CompanionMaker.rows(plans * locations)) INSERT INTO location (id, plan, position, person, level, created, name,
            folded, lat_e7, lon_e7, radius_m)
        SELECT 'place' || i, 1 + (i - 1) / \(locations), 1 + i % \(locations), 1, 3, \(now), 'Stop ' || i, 'stop ' || i,
            360000000 + \(CompanionMaker.mixed(35, 240_000_000)), -90000000 + \(CompanionMaker.mixed(36, 390_000_000)), 100
        FROM n
        """

    /// Activities, one a day, each in one of the five tabs.
    private static let activity = """
        \(CompanionMaker.rows(plans * activities)) INSERT INTO activity (id, plan, tab, person, level, created, title,
            description, start_clock, start_zone, start_time)
        SELECT 'item' || i, 1 + (i - 1) / \(activities), \(CompanionMaker.word(tabs, 37)), 1, 3, \(now), 'Item ' || i,
            'What there is to know about item ' || i, date(day, 'unixepoch') || 'T12:00', 'Europe/Amsterdam',
            day * 1000 + 39600000
        FROM (SELECT i, \(newYear) + (1 + (i - 1) / \(activities)) % 300 * 86400 + i % \(activities) * 86400 AS day FROM n)
        """

    private static let tabs = ["itinerary", "transport", "lodging", "food", "places"]

    /// Expenses of plan 1, each of 40 euros, paid by one of its members for all four.
    private static let expense = """
        \(CompanionMaker.rows(expenses)) INSERT INTO expense (id, plan, turn, person, created, title, amount, currency, converted,
            split)
        SELECT 'cost' || i, 1, i, 1, \(now), 'Cost ' || i, 4000, 'EUR', 4000, 'evenly' FROM n
        """

    private static func line(_ kind: String) -> String {
        let isShare = kind == "share"
        return """
            INSERT INTO expense_\(kind)
            SELECT expense.number, place, member, \(isShare ? "1, 1000, 1000" : "4000, 4000")
            FROM expense, (SELECT number AS member, row_number() OVER (ORDER BY number) - 1 AS place
                FROM plan_member WHERE plan = 1) AS of_plan
            WHERE \(isShare ? "true" : "place = expense.turn % \(members)")
            """
    }
}
