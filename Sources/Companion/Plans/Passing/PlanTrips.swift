import GRDB
import Geodesy
import People
import RPC
import Service
import Store
import Time
import Tracking

/// A recorded trip that belongs to a plan.
struct PlanTrip: Hashable, Sendable {
    var id: String
    /// The name of the device that recorded the trip.
    var device: String
    var start: Timestamp
    /// The end; `nil` while the trip goes on.
    var end: Timestamp?
    var distance: Distance

    /// The most trips of a plan: twenty a day for a year.
    static let maximumPerPlan = 7300

    /// The relation between a trip and a plan.
    private enum State: String {
        /// The trip joined the plan automatically when it ended.
        case joined
        /// A person added the trip.
        case added
        /// A person removed the trip, and it does not join again automatically.
        case apart
    }

    /// Adds an ended trip to the plans of the travellers on its device.
    ///
    /// The trip joins a plan if more than half of its duration lies within the plan's span and the plan is not full.
    ///
    /// - Parameter id: the id of the trip. If there is no such trip any more, nothing happens.
    static func join(_ id: String, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO plan_trip (plan, trip, state)
                SELECT plan.number, trip.number, '\(State.joined.rawValue)' FROM trip
                JOIN device ON device.number = trip.device
                JOIN plan_device ON plan_device.device = device.name
                JOIN plan ON plan.number = plan_device.plan
                WHERE trip.id = :id AND trip.hidden = 0 AND trip."end" IS NOT NULL
                    AND 2 * (min(trip."end", plan.end_time) - max(trip.start, plan.start_time))
                        > trip."end" - trip.start
                    AND (SELECT count(*) FROM plan_trip WHERE plan_trip.plan = plan.number) < \(maximumPerPlan)
                """
        ).execute(arguments: ["id": id])
    }

    /// Adds an ended trip to a plan, no matter whose trip it is; a trip that is already in the plan stays in it.
    ///
    /// - Throws: ``Refusal`` if the caller may not change the plan or is not a member, if they see no such trip, if the
    ///   trip has not ended, or if the plan is full.
    static func add(_ id: String, to access: PlanAccess, by viewer: Viewer, in db: Database) throws {
        try access.checkEdits()
        try access.checkMember()
        let row = try NamedRow.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT trip.number AS number, trip."end" IS NULL AS runs, device.name AS device,
                        (SELECT count(*) FROM plan_trip WHERE plan = :plan) AS count
                    FROM trip JOIN device ON device.number = trip.device
                    WHERE trip.id = :id AND trip.hidden = 0
                    """), arguments: ["id": id, "plan": access.plan])
        guard let row, try DeviceAccess(for: viewer, in: db).sees(trip: id, of: row["device"]) else {
            throw Refusal.absent("trip", id: id)
        }
        guard !row["runs"] else {
            throw Refusal.conflict("The trip \(id) has not ended yet. Add it when it has ended.")
        }
        guard row["count"] < maximumPerPlan else {
            throw Refusal.unavailable(
                "The plan \(access.id) has \(maximumPerPlan) trips, the maximum. Remove one first.")
        }
        try put(row["number"], .added, in: access, db)
    }

    /// Removes a trip from a plan; the trip itself is not changed.
    static func remove(_ id: String, from access: PlanAccess, in db: Database) throws {
        try access.checkEdits()
        try access.checkMember()
        let number = try Int64.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT trip.number FROM plan_trip JOIN trip ON trip.number = plan_trip.trip
                    WHERE plan_trip.plan = ? AND plan_trip.state <> 'apart' AND trip.id = ? AND trip.hidden = 0
                    """), arguments: [access.plan, id])
        guard let number else { throw Refusal.absent("trip in the plan \(access.id) with the id", id: id) }
        try put(number, .apart, in: access, db)
    }

    private static func put(_ trip: Int64, _ state: State, in access: PlanAccess, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO plan_trip (plan, trip, state) VALUES (?, ?, ?)
                ON CONFLICT (plan, trip) DO UPDATE SET state = excluded.state
                """
        ).execute(arguments: [access.plan, trip, state.rawValue])
    }

    /// Returns those of the trips that go on now which began within the plan's span, on devices of its travellers.
    ///
    /// They are part of the plan until they end, when ``join(_:in:)`` decides.
    static func list(of plan: Int64, among open: [String: TripSummary], in db: Database) throws -> [PlanTrip] {
        guard !open.isEmpty else { return [] }
        let spans = try NamedRow.list(
            db.cachedStatement(
                sql: """
                    SELECT DISTINCT plan_device.device AS device, plan.start_time AS start, plan.end_time AS finish
                    FROM plan_device JOIN plan ON plan.number = plan_device.plan
                    WHERE plan_device.plan = ? AND plan.start_time IS NOT NULL
                    """), arguments: [plan]
        ) { (device: $0["device"] as String, start: $0["start"] as Int64, end: $0["finish"] as Int64) }
        return spans.compactMap { device, start, end in
            guard let trip = open[device], trip.start.milliseconds >= start, trip.start.milliseconds < end else {
                return nil
            }
            return PlanTrip(id: trip.id, device: trip.device, start: trip.start, distance: trip.distance)
        }
    }

    /// Returns the ended trips of a plan, ordered by start.
    static func list(of plan: Int64, in db: Database) throws -> [PlanTrip] {
        try NamedRow.list(
            db.cachedStatement(
                sql: """
                    SELECT trip.id, device.name, trip.start, trip."end" AS finish, trip.distance_m FROM plan_trip
                    JOIN trip ON trip.number = plan_trip.trip
                    JOIN device ON device.number = trip.device
                    WHERE plan_trip.plan = ? AND plan_trip.state <> 'apart' AND trip.hidden = 0
                        AND trip."end" IS NOT NULL
                    ORDER BY trip.start, trip.id
                    """), arguments: [plan]
        ) { row in
            PlanTrip(
                id: row["id"], device: row["name"], start: Timestamp(milliseconds: row["start"]),
                end: Timestamp(milliseconds: row["finish"]), distance: .meters(row["distance_m"] ?? 0))
        }
    }
}

/// Adds recorded trips to plans when they end, and again when people revise them.
struct PlanTripConsumer: LogConsumer {
    let name = "plans.trips"
    let worksInCommits = true

    func concerns(_ event: EventRecord) -> Bool {
        ["trip.end", EventRecord.tripRevised].contains(event.type) && event.subject?.hasPrefix("trip/") ?? false
    }

    func consume(_ event: EventRecord, in db: Database, _ consequences: inout Consequences) throws {
        guard let trip = event.subject?.dropFirst("trip/".count) else { return }
        try PlanTrip.join(String(trip), in: db)
    }
}
