package import GRDB
import People
import RPC
package import Service
import Store
import TextCoding

/// The sights that a viewer may see.
///
/// Everybody sees a sight that is watched for every device. One that is watched for some devices alone, such as an anchor,
/// tells where they are, so only its owner and those who see one of the devices see it.
package struct SightAccess: Sendable {
    private let devices: DeviceAccess
    private let person: String?
    /// The ids of the groups that the viewer sees.
    private let groups: Set<String>

    package init(for viewer: Viewer, in db: Database) throws {
        devices = try DeviceAccess(for: viewer, in: db)
        person = viewer.person
        groups = devices.isUnlimited ? [] : Set(try DeviceGroups.list(for: viewer, in: db).map(\.id))
    }

    /// Whether the viewer sees a sight that was read with ``SightStore/columns``.
    package func sees(_ sight: Sight) -> Bool {
        guard let seen = devices.devices, let watched = sight.rules.watched else { return true }
        return isOwn(sight) || !seen.isDisjoint(with: watched)
    }

    /// Returns a sight without the devices and groups that the viewer may not see; `nil` if they may not see the sight.
    package func shown(_ sight: Sight) -> Sight? {
        guard sees(sight) else { return nil }
        guard let seen = devices.devices, !isOwn(sight) else { return sight }
        var sight = sight
        sight.rules.devices.removeAll { !seen.contains($0) }
        sight.rules.groups.removeAll { !groups.contains($0) }
        return sight
    }

    private func isOwn(_ sight: Sight) -> Bool { person != nil && sight.owner == person }

    /// Returns the numbers and the ids of the sights that the viewer may not see.
    ///
    /// - Complexity: O(*n*) for *n* sights that are watched for some devices alone; nothing if the viewer sees all
    ///   devices.
    package func hidden(in db: Database) throws -> (numbers: Set<Int64>, ids: Set<String>) {
        guard !devices.isUnlimited else { return ([], []) }
        var (numbers, ids): (Set<Int64>, Set<String>) = ([], [])
        let rows = try NamedRow.soundRows(
            db.cachedStatement(
                sql: """
                    SELECT \(SightStore.columns) FROM sight
                    WHERE sight.devices IS NOT NULL OR sight.device_groups IS NOT NULL
                    """))
        while let row = try rows.next() {
            let sight = try Sight(row)
            guard !sees(sight) else { continue }
            numbers.insert(row["sight_number"])
            ids.insert(sight.id)
        }
        return (numbers, ids)
    }

    /// Returns numbers as a JSON array, for a query that leaves them out.
    package static func list(_ numbers: Set<Int64>) -> String {
        String(
            decoding: JSONText.array { json in for number in numbers.sorted() { json.integer(number) } }.bytes,
            as: UTF8.self)
    }
}
