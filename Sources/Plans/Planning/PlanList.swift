import GRDB
import Geodesy
import Positioning
import Service

/// Which plans are listed, and in which order.
struct PlanList: Sendable {
    /// Whose plans.
    enum Scope: Hashable, Sendable {
        /// Those of which the caller is a member, or which they may change.
        case own
        /// Those to which the caller is asked.
        case asked
        /// Those of a person, who is a member.
        case of(Int64)
        /// Those that the caller has saved.
        case saved
        /// The published ones.
        case published
        /// The one of a number.
        case one(Int64)
    }

    /// How they are ordered.
    enum Order: String, CaseIterable, Sendable {
        /// The last made or published first.
        case newest
        /// Those that most people like first, of equal ones the newest.
        case likes
        /// Those that begin first, without a start last.
        case start
    }

    var scope: Scope
    var order = Order.newest
    /// What must be in title, description or destination, in any case and with any accents.
    var text: String?
    /// One of the postal codes, in any case.
    var postalCode: String?
    /// Plans that go on at this moment or later.
    var from: Timestamp?
    /// Plans that have begun at this moment or before.
    var to: Timestamp?
    /// How many people travel.
    var people: Int?
    /// The key of the last of the page before.
    var after: (rank: Int64, number: Int64)?
    var limit = 50

    /// A row of a list.
    struct Entry: Sendable {
        var plan: Plan
        /// The id of the owner.
        var owner: String
        var ownerName: String
        /// The name of the first location that the caller sees.
        var firstLocation: String?
        /// Where the plan leads: its destination, else the first location with a place that the caller sees.
        var pin: Coordinate?
        /// The id of the photo that stands for it.
        var picture: String?
        /// Whether the caller likes it, and has saved it.
        var isLiked: Bool
        var isSaved: Bool
        /// What the list is ordered by.
        var rank: Int64
    }

    /// The plans that someone sees of those asked for.
    ///
    /// - Parameter person: the caller's number; nil for nobody.
    func entries(for person: Int64?, in db: Database) throws -> [Entry] {
        let direction = order != .start ? "DESC" : "ASC"
        var (conditions, arguments) = asked
        arguments.updateValue(person, forKey: "me")
        arguments["limit"] = limit
        if let after {
            conditions.append("(\(rank), plan.number) \(order != .start ? "<" : ">") (:after, :number)")
            arguments["after"] = after.rank
            arguments["number"] = after.number
        }
        // What is told of a plan is looked up for those of the page alone: SQLite would do it for all before it sorts.
        return try NamedRow.list(
            db.cachedStatement(
                sql: """
                    WITH page AS MATERIALIZED (
                        SELECT plan.number AS number, \(rank) AS rank FROM \(source)
                        WHERE \(conditions.joined(separator: " AND "))
                        ORDER BY \(rank) \(direction), plan.number \(direction) LIMIT :limit),
                    reached AS MATERIALIZED (
                        SELECT page.number, page.rank, \(Ladder.reach) AS reach
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

    /// The conditions on what is listed, but for the key, and their arguments.
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
        case .start: "coalesce(plan.start_time, 9223372036854775807)"
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
                UNION SELECT plan FROM plan_grant WHERE person = :me) AND \(Ladder.seesPlan)
            """
        // A request shows what it asks about, whoever else sees that.
        case .asked: "own.person = :me AND own.state = 'asked'"
        case .of: "own.person = :of AND own.state = 'member' AND \(Ladder.seesPlan)"
        case .saved: "reaction.person = :me AND reaction.kind = 'save' AND \(Ladder.seesPlan)"
        case .one: "plan.number = :of AND \(Ladder.seesPlan)"
        case .published: "plan.published IS NOT NULL AND \(Ladder.seesPlan)"
        }
    }

    /// The number of the first location of a plan that the caller sees, of those that a condition holds for.
    private static func first(where condition: String) -> String {
        """
        (SELECT location.number FROM location
            WHERE location.plan = plan.number AND \(condition) AND plan.level >= reached.reach
                AND \(Ladder.seesItem("location", reach: "reached.reach"))
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
