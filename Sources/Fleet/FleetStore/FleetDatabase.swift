#if Fleet
internal import Foundation
import TextCoding
import Tracking

/// The database of a fleet, over one connection that one thread uses at a time.
///
/// It holds only what a worker needs: who has a partition, the states of devices, their events and trips. Each call
/// waits at most its time limit. After an error the object is used no more; open another.
public final class FleetDatabase {
    let connection: PostgresConnection
    let limit: Duration

    /// The longest time of a call, if nothing else is said.
    ///
    /// The broker waits no longer either before it gives a worker's partition to another.
    public static let standardLimit = Duration.seconds(8)

    /// Connects to a database.
    ///
    /// - Parameters:
    ///   - address: A connection string or URI of libpq, such as `postgresql:///waymark?host=/run/postgresql`.
    ///   - limit: The longest time of each later call.
    /// - Throws: ``FleetStoreError``.
    public init(at address: String, limit: Duration = standardLimit) throws(FleetStoreError) {
        self.limit = limit
        connection = try PostgresConnection(address, limit: limit)
    }

    /// Whether the last call has succeeded, so that there may be another.
    public var isUsable: Bool { connection.isUsable }

    func run(_ statements: [Statement]) throws(FleetStoreError) -> [Rows] {
        try connection.run(statements, until: .now + limit)
    }

    func run(_ statement: Statement) throws(FleetStoreError) -> Rows {
        guard let rows = try run([statement]).first else {
            throw FleetStoreError(.damaged, "a statement has no answer")
        }
        return rows
    }

    // MARK: The schema

    /// Creates the tables of this version, or adds what is new in it.
    ///
    /// Several programs may do so at once.
    ///
    /// - Throws: ``FleetStoreError``; of the kind `noFleet` if a later version has made the tables.
    public func migrate() throws(FleetStoreError) {
        _ = try run([Statement(FleetSchema.lock)] + FleetSchema.ledger.map { Statement($0) })
        for (index, step) in FleetSchema.steps.enumerated() {
            let number = "\(index + 1)"
            let known = try run(Statement("SELECT 1 FROM waymark.migration WHERE migration.number = $1", [number]))
            guard known.values.isEmpty else { continue }
            // The lock is held from before the row is written until all is committed, so one of several programs
            // has the row.
            let claim = Statement("INSERT INTO waymark.migration (number) VALUES ($1)", [number])
            _ = try run([Statement(FleetSchema.lock), claim] + step.map { Statement($0) })
        }
        let last: Int = try run(Statement("SELECT coalesce(max(migration.number), 0) FROM waymark.migration"))
            .number(0, 0)
        guard last <= FleetSchema.steps.count else {
            throw FleetStoreError(.noFleet, "a later version of Waymark has made the tables of this database")
        }
    }

    // MARK: The fleet

    /// Sets up a fleet; one that is there stays as it is.
    ///
    /// - Returns: The settings of the fleet that is there.
    /// - Throws: ``FleetStoreError``.
    public func setUp(_ settings: FleetSettings) throws(FleetStoreError) -> FleetSettings {
        let text = try Self.encode(settings.policy)
        _ = try run([
            Statement(
                """
                INSERT INTO waymark.fleet (one, name, partitions, settings) VALUES (1, $1, $2, $3)
                ON CONFLICT DO NOTHING
                """, [settings.name, "\(settings.partitions)", text]),
            Statement(
                """
                INSERT INTO waymark.partition (id)
                SELECT generate_series(0, fleet.partitions) FROM waymark.fleet ON CONFLICT DO NOTHING
                """),
        ])
        return try self.settings()
    }

    /// Returns the settings of the fleet.
    ///
    /// - Throws: ``FleetStoreError`` of the kind `noFleet` if there is none.
    public func settings() throws(FleetStoreError) -> FleetSettings {
        let rows = try run(Statement("SELECT fleet.name, fleet.partitions, fleet.settings FROM waymark.fleet"))
        guard !rows.values.isEmpty else {
            throw FleetStoreError(.noFleet, "the database has no fleet; \"waymark fleet init\" makes one")
        }
        let policy = try Self.decode(TrackingPolicy.self, from: try rows.text(0, 2))
        return FleetSettings(name: try rows.text(0, 0), partitions: try rows.number(0, 1), policy: policy)
    }

    // MARK: Values in texts

    /// Returns a value as JSON; equal values have equal bytes.
    static func encode(_ value: some Encodable) throws(FleetStoreError) -> String {
        do {
            return try SortedJSON.text(of: value)
        } catch {
            throw FleetStoreError(.unusableValue, "a state cannot be written: \(error.localizedDescription)")
        }
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws(FleetStoreError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        } catch {
            throw FleetStoreError(.damaged, "a \(type) in the database cannot be read")
        }
    }
}
#endif
