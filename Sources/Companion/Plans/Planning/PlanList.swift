import GRDB
import Geodesy
import Service
import Store
import Time

/// A query for plans: which ones, and in which order.
struct PlanList: Sendable {
    /// The plans from which the query selects.
    enum Scope: Hashable, Sendable {
        /// Plans that have the caller as a member, or that the caller may change.
        case own
        /// Plans that the caller is asked to join.
        case asked
        /// Plans that have the person with this number as a member.
        case of(Int64)
        /// Plans that the caller has saved.
        case saved
        /// Published plans.
        case published
        /// The plan with this number.
        case one(Int64)
    }

    /// The order of the list.
    enum Order: String, CaseIterable, Sendable {
        /// Newest first, by the time of publication for ``PlanList/Scope/published``, otherwise by the time of creation.
        case newest
        /// Most likes first, then newest first.
        case likes
        /// Earliest start first; plans without a start come last.
        case start
    }

    var scope: Scope
    var order = Order.newest
    /// A text that the title, description or destination must contain, ignoring case and accents.
    var text: String?
    /// A postal code that the plan must have, ignoring case.
    var postalCode: String?
    /// Selects plans that end at this moment or later.
    var from: Timestamp?
    /// Selects plans that begin at this moment or earlier.
    var to: Timestamp?
    /// Selects plans with this number of travellers.
    var people: Int?
    /// The key of the last plan of the previous page.
    var after: (rank: Int64, number: Int64)?
    var limit = 50

    /// A row of the list.
    struct Entry: Sendable {
        var plan: Plan
        /// The id of the owner.
        var owner: String
        var ownerName: String
        /// The name of the first location that the caller sees.
        var firstLocation: String?
        /// The place that represents the plan on a map.
        ///
        /// It is the destination, or the first location with a place that the caller sees.
        var pin: Coordinate?
        /// The id of the photo that represents the plan.
        var picture: String?
        /// Whether the caller likes the plan.
        var isLiked: Bool
        var isSaved: Bool
        /// The sort key of the list.
        var rank: Int64
    }

    /// Returns the selected plans that the caller sees.
    ///
    /// - Parameter person: the caller's number; `nil` for nobody.
    func entries(for person: Int64?, in db: Database) throws -> [Entry] {
        let direction = order != .start ? "DESC" : "ASC"
        var (conditions, arguments) = asked
        arguments.updateValue(person, forKey: "me")
        arguments["limit"] = StoreDamage.widened(limit)
        if let after {
            conditions.append("(\(rank), plan.number) \(order != .start ? "<" : ">") (:after, :number)")
            arguments["after"] = after.rank
            arguments["number"] = after.number
        }
        // The details of a plan are read only for the rows of the page. Without the materialized page, SQLite would
        // read them for all plans before it sorts.
        return try NamedRow.soundList(
            db.cachedStatement(
                sql: """
                    WITH page AS MATERIALIZED (
                        SELECT plan.number AS number, \(rank) AS rank FROM \(source)
                        WHERE \(conditions.joined(separator: " AND "))
                        ORDER BY \(rank) \(direction), plan.number \(direction) LIMIT :limit),
                    reached AS MATERIALIZED (
                        SELECT page.number, page.rank, \(PlanAccessRules.reach) AS reach
                        FROM page CROSS JOIN plan ON plan.number = page.number)
                    SELECT plan.*, \(Plan.codes) AS codes, reached.rank AS rank, person.id AS owner_id,
                        person.first_name, person.last_name, first.name AS first_location,
                        pin.lat_e7 AS pin_lat_e7, pin.lon_e7 AS pin_lon_e7,
                        (SELECT number FROM photo WHERE photo.subject = own.number
                            ORDER BY cover DESC, place LIMIT 1) AS picture,
                        \(Self.reacted("like")) AS liked, \(Self.reacted("save")) AS saved
                    FROM reached CROSS JOIN plan ON plan.number = reached.number
                        CROSS JOIN person ON person.number = plan.owner
                        LEFT JOIN location AS first ON first.number = \(Self.first(where: "TRUE"))
                        LEFT JOIN location AS pin ON pin.number = \(Self.first(where: "location.lat_e7 IS NOT NULL"))
                        LEFT JOIN subject AS own ON own.id = 'plan/' || plan.id
                    ORDER BY reached.rank \(direction), plan.number \(direction)
                    """),
            arguments: StatementArguments(arguments)
        ) { row in
            let (first, last): (String, String) = (row["first_name"], row["last_name"])
            let plan = try Plan(row)
            let pin: Coordinate? =
                if let latitude: Int32 = row["pin_lat_e7"], let longitude: Int32 = row["pin_lon_e7"] {
                    Coordinate(latitudeE7: latitude, longitudeE7: longitude)
                } else {
                    nil
                }
            return Entry(
                plan: plan, owner: row["owner_id"], ownerName: last.isEmpty ? first : "\(first) \(last)",
                firstLocation: row["first_location"], pin: plan.fields.place ?? pin,
                picture: (row["picture"] as Int64?).map { String($0) }, isLiked: row["liked"],
                isSaved: row["saved"], rank: row["rank"])
        }
    }

    /// The conditions of the query, except the one for the page, with their arguments.
    private var asked: (conditions: [String], arguments: [String: (any DatabaseValueConvertible)?]) {
        var conditions = [condition]
        var arguments: [String: (any DatabaseValueConvertible)?] = [:]
        func add(_ sql: String, _ name: String, _ value: (any DatabaseValueConvertible)?) {
            guard let value else { return }
            conditions.append(sql)
            arguments[name] = value
        }
        switch scope {
        case .of(let number), .one(let number): arguments["of"] = number
        default: break
        }
        add("instr(plan.folded, :text) > 0", "text", text.map { PlanText.folded([$0]) })
        add(
            "plan.number IN (SELECT plan FROM plan_postal_code WHERE code = :code)", "code", postalCode)
        add("plan.end_time >= :from", "from", from?.milliseconds)
        add("plan.start_time <= :to", "to", to?.milliseconds)
        add("plan.people = :people", "people", people)
        return (conditions, arguments)
    }

    private var rank: String {
        switch order {
        case .newest: scope == .published ? "plan.published" : "plan.created"
        case .likes: "plan.likes"
        // Later than every date of a plan, and a number that a column may hold.
        case .start: "coalesce(plan.start_time, \(StoreDamage.integers.upperBound))"
        }
    }

    private var source: String {
        switch scope {
        case .own, .published, .one: "plan"
        case .asked, .of: "plan_member AS own JOIN plan ON plan.number = own.plan"
        case .saved:
            """
            reaction JOIN subject ON subject.number = reaction.subject
                JOIN plan ON plan.id = substr(subject.id, 6) AND subject.id GLOB 'plan/*'
            """
        }
    }

    private var condition: String {
        switch scope {
        case .own:
            """
            plan.number IN (SELECT plan FROM plan_member WHERE person = :me AND state = 'member'
                UNION SELECT plan FROM plan_grant WHERE person = :me) AND \(PlanAccessRules.seesPlan)
            """
        // A request shows its plan, whatever the plan's level.
        case .asked: "own.person = :me AND own.state = 'asked'"
        case .of: "own.person = :of AND own.state = 'member' AND \(PlanAccessRules.seesPlan)"
        case .saved: "reaction.person = :me AND reaction.kind = 'save' AND \(PlanAccessRules.seesPlan)"
        case .one: "plan.number = :of AND \(PlanAccessRules.seesPlan)"
        case .published: "plan.published IS NOT NULL AND \(PlanAccessRules.seesPlan)"
        }
    }

    /// Returns SQL for the number of the first location of a plan that the caller sees and that meets a condition.
    private static func first(where condition: String) -> String {
        """
        (SELECT location.number FROM location
            WHERE location.plan = plan.number AND \(condition) AND plan.level >= reached.reach
                AND \(PlanAccessRules.seesItem("location", reach: "reached.reach"))
            ORDER BY location.position, location.number LIMIT 1)
        """
    }

    private static func reacted(_ kind: String) -> String {
        """
        EXISTS (SELECT 1 FROM reaction
            WHERE reaction.subject = own.number AND reaction.kind = '\(kind)' AND reaction.person = :me)
        """
    }
}
