import Daemon
import Foundation
import GRDB
import Geodesy
import Positioning
import RPC
import Store
import TestSupport
import TextCoding
package import Tracking

@testable package import Notifications
@testable package import Service
@testable import Sights

/// Helpers that cause and read notifications.
extension CoreFixture {
    /// The log consumers, as a daemon runs them.
    package var followers: LogConsumers { LogConsumers(context, features.consumers) }

    /// Adds a sight that everybody may see.
    package func have(
        sight id: String, category: String? = nil, information: String? = nil, of owner: String? = nil
    )
        async throws
    {
        let sight = Sight(
            id: id, title: id.capitalized, place: fix(0).coordinate, category: category, information: information)
        _ = try await store.write { db in
            _ = try SightStore.put([sight], in: db)
            guard let owner else { return }
            try db.execute(
                sql: "UPDATE sight SET owner = (SELECT number FROM person WHERE id = ?) WHERE id = ?",
                arguments: [owner, id])
        }
    }

    /// Puts people on board of a device.
    package func board(_ people: String..., on device: String = "gps0") async throws {
        try await store.write { db in
            for person in people {
                try db.execute(
                    sql: "INSERT INTO carried (device, person) SELECT ?, number FROM person WHERE id = ?",
                    arguments: [device, person])
            }
        }
    }

    /// Removes people from a device.
    package func alight(_ people: String..., from device: String = "gps0") async throws {
        try await store.write { db in
            for person in people {
                try db.execute(
                    sql: "DELETE FROM carried WHERE device = ? AND person = (SELECT number FROM person WHERE id = ?)",
                    arguments: [device, person])
            }
        }
    }

    /// Appends the event of a device and a sight to the log.
    @discardableResult
    package func log(
        _ trigger: NotificationRules.Trigger, _ sight: String, at seconds: Double = 0, by device: String = "gps0",
        initial: Bool = false, received: Double? = nil, isAlarm: Bool = false
    ) async throws -> EventRecord {
        var geofence = Geofence(
            identity: .init(kind: .sight, id: sight), title: sight.capitalized, center: fix(0).coordinate,
            radius: .meters(100))
        geofence.isAlarm = isAlarm
        let sighting = Event.GeofenceSighting(geofence: geofence, distance: .meters(48.2))
        let kind: Event.Kind =
            switch trigger {
            case .approach:
                .approach(sighting, Event.Approach(tier: 1, eta: 60, bearing: .degrees(10), side: .left))
            case .enter: .enter(sighting, initial: initial)
            case .cross: .cross(sighting)
            case .dwell: .dwell(sighting, inside: 60)
            case .exit: .exit(sighting, inside: 90, removed: false)
            }
        let event = Event(kind: kind, time: moment(seconds), device: device, place: fix(0).coordinate)
        let record = received.map { EventRecord(event).told(late: moment($0)) } ?? EventRecord(event)
        return try await store.write { try EventLog.append([record], to: $0)[0] }
    }

    /// Sends a person a notification that no device caused.
    @discardableResult
    package func tell(
        _ person: String, _ kind: NotificationDraft.Kind = .notice, key: String,
        text: NotificationText = "Something is wrong.", destination: String = "waymark://sight/mill",
        at seconds: Double = 0, _ action: NotificationDraft.Action? = nil
    ) async throws -> Bool {
        try await context.editor.change { db, consequences in
            var draft = NotificationDraft(
                to: person, kind, at: moment(seconds), key: key, text: text, destination: destination)
            draft.action = action.map { ("Do it", $0) }
            return try Notifications.add(draft, in: db, &consequences)
        }
    }

    /// Returns the id of a person's latest notification.
    package func newest(of person: String) async throws -> String {
        try await store.read { db in
            try Int64.fetchOne(
                db,
                sql: """
                    SELECT notification.number FROM notification JOIN person ON person.number = person WHERE id = ?
                    ORDER BY notification.number DESC
                    """, arguments: [person])
        }.map(String.init) ?? "none"
    }

    /// Returns the texts of a person's notifications, oldest first, without marking them as shown.
    package func texts(of person: String) async throws -> [String] {
        try await store.read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT text FROM notification JOIN person ON person.number = person WHERE id = ?
                    ORDER BY notification.number
                    """, arguments: [person])
        }
    }

    /// Returns the number of a person's new notifications.
    package func badge(of person: String) async throws -> Int? {
        try await call(as: person, "notifications.badge")["count"].number.map { Int($0) }
    }
}
