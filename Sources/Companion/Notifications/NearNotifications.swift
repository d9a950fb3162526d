import GRDB
import Geodesy
import RPC
import Reviews
import Service
import Sights
import Store
import TextCoding
import Time
import Tracking

/// The log consumer that notifies people of sights and other subjects that the devices carrying them come near.
struct NearNotifications: LogConsumer {
    let name = "notifications"
    private let subjects: Subjects
    private let geofences: [Geofence.Kind: any GeofenceSource]

    init(_ context: ServiceContext) {
        subjects = context.subjects
        geofences = context.geofences
    }

    func concerns(_ event: EventRecord) -> Bool {
        NotificationRules.Trigger(eventType: event.type) != nil && event.device != nil && event.subject != nil
    }

    func matters(_ event: EventRecord, in db: Database) throws -> Bool {
        guard let device = event.device, let seq = event.seq else { return false }
        // An exit also ends the visits of people who got off inside. The log may have recorded that just before the
        // exit.
        guard event.type != "geofence.exit" else { return try hasHadPassengers(device, in: db) }
        return try !passengers(of: device, at: seq, in: db).isEmpty
    }

    func consume(_ event: EventRecord, in db: Database, _ consequences: inout Consequences) throws {
        guard let trigger = NotificationRules.Trigger(eventType: event.type),
            let sighting = Sighting(event, trigger)
        else { return }
        for person in try passengers(of: sighting.device, at: sighting.seq, in: db) {
            try notify(person, of: sighting, in: db, &consequences)
        }
        // This includes people that the device no longer carries.
        if trigger == .exit { try Visit.end(of: sighting.device, to: sighting.subject.description, in: db) }
    }

    /// Notifies a person if their rules ask for it, and if they have not been notified already.
    private func notify(
        _ person: Passenger, of sighting: Sighting, in db: Database, _ consequences: inout Consequences
    ) throws {
        let rules = try NotificationRules.of(person.number, in: db)
        let key = sighting.subject.description
        var visit = try Visit.last(of: person.number, to: key, in: db)
        if visit?.isInProgress(at: sighting.time) == false { visit?.phase = .ended }
        if let subject = try subjects.find(sighting.subject, for: Viewer(person: person.id), in: db) {
            // A person who has just added something at their own position knows that it is near.
            if sighting.isInitial, subject.owner == person.id {
                let visit = Visit(device: sighting.device, time: sighting.time, phase: sighting.trigger.phase)
                return try visit.keep(of: person.number, to: key, in: db)
            }
            let origin = NotificationDraft.Origin(device: sighting.device, place: sighting.place)
            // The notification of a suggestion also says that the subject is near, so it replaces the usual one.
            var isNotified = false
            if sighting.trigger == .enter,
                let near = try Suggestions.near(person.id, subject, at: sighting.time, from: origin, in: db),
                try Notifications.add(near.draft, isLate: sighting.isLate, in: db, &consequences)
            {
                try Suggestions.markNear(near.suggestions, at: sighting.time, in: db)
                isNotified = true
            }
            if !isNotified, let kind = geofences[Geofence.Kind(rawValue: sighting.subject.kind)]?.notification,
                try sighting.isAlarm
                    || rules.allows(sighting.trigger, at: sighting.time, after: visit)
                        && rules.wants(category: category(of: sighting.subject, in: db))
            {
                var draft = NotificationDraft(
                    to: person.id, kind, at: sighting.time, key: "event/\(sighting.seq)",
                    text: sighting.text(subject.title), destination: subject.id.destination)
                draft.origin = origin
                draft.isAlarm = sighting.isAlarm
                isNotified = try Notifications.add(draft, isLate: sighting.isLate, in: db, &consequences)
            }
            if isNotified {
                visit = Visit(device: sighting.device, time: sighting.time, phase: .ended)
                visit?.phase = sighting.trigger.phase
                return try visit?.keep(of: person.number, to: key, in: db) ?? ()
            }
        }
        // The person was notified ahead, and has now arrived or passed.
        guard var visit, visit.phase == .ahead, visit.device == sighting.device, sighting.trigger != .approach else {
            return
        }
        visit.phase = sighting.trigger.phase
        try visit.keep(of: person.number, to: key, in: db)
    }

    private func category(of subject: SubjectID, in db: Database) throws -> String? {
        subject.kind == "sight" ? try SightStore.sight(id: subject.id, in: db)?.category : nil
    }

    /// Whether a device has ever carried anybody.
    private func hasHadPassengers(_ device: String, in db: Database) throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM carrying WHERE device = ?)")
        return try Bool.fetchOne(statement, arguments: [device]) ?? false
    }

    private typealias Passenger = (number: Int64, id: String)

    /// Returns the people whom a device carried when an event was appended.
    private func passengers(of device: String, at seq: Int64, in db: Database) throws -> [Passenger] {
        try NamedRow.list(
            db.cachedStatement(
                sql: """
                    SELECT number, id FROM carrying JOIN person ON number = person
                    WHERE device = :device AND proven IS NOT NULL AND since <= :seq AND (until IS NULL OR until > :seq)
                    ORDER BY id
                    """),
            arguments: ["device": device, "seq": seq]
        ) { ($0["number"], $0["id"]) }
    }
}

extension NotificationRules {
    /// Whether the person is notified of a trigger, given the previous notification.
    ///
    /// - Parameter visit: The visit of the previous notification, or `nil` if there was none.
    func allows(_ trigger: Trigger, at time: Timestamp, after visit: Visit?) -> Bool {
        guard triggers.contains(trigger), let visit else { return triggers.contains(trigger) }
        // A notification of leaving does not repeat that of arriving, so neither limit applies.
        guard trigger != .exit else { return true }
        return !(isOncePerVisit && visit.isInProgress(at: time)) && !visit.isWithin(Double(coolDown), at: time)
    }
}

extension NotificationRules.Trigger {
    /// The phase of the visit after this trigger.
    fileprivate var phase: Visit.Phase {
        switch self {
        case .approach: .ahead
        case .enter, .dwell: .inside
        case .cross, .exit: .ended
        }
    }
}

/// The content of an event about a device and a geofence.
private struct Sighting {
    let seq: Int64
    let trigger: NotificationRules.Trigger
    let time: Timestamp
    let device: String
    let place: Coordinate
    let subject: SubjectID
    private let distance: Double?
    private let eta: Double?
    private let side: String?
    /// Whether the device's position relative to the geofence was unknown before, for example because the geofence was
    /// just added.
    let isInitial: Bool
    /// Whether it came so late that it is no news any more, as from a phone that was without a network.
    let isLate: Bool

    /// The seconds after which a sighting is no news any more.
    private static let longestDelay = 900.0

    /// Whether the exit is an alarm, of which people are notified whatever their rules are.
    let isAlarm: Bool

    init?(_ event: EventRecord, _ trigger: NotificationRules.Trigger) {
        guard let json = try? JSONValue(parsing: event.line.span), let seq = event.seq, let device = event.device,
            let subject = event.subject.flatMap(SubjectID.init),
            let latitude = json["lat"].flatMap(Double.init(json:)),
            let longitude = json["lon"].flatMap(Double.init(json:)),
            let place = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        self.seq = seq
        self.trigger = trigger
        time = event.time
        self.device = device
        self.place = place
        self.subject = subject
        distance = json["geofence"]?["distance"].flatMap(Double.init(json:))
        eta = json["eta"].flatMap(Double.init(json:))
        side = json["side"].flatMap(String.init(json:))
        isInitial = json["initial"].flatMap(Bool.init(json:)) ?? false
        isLate = event.received.map { $0.seconds(since: event.time) > Self.longestDelay } ?? false
        isAlarm = json["alarm"].flatMap(Bool.init(json:)) ?? false
    }

    private static func whole(_ number: Double) -> String { DecimalText.string(number, decimals: 0) }

    /// Returns the text of the notification.
    func text(_ title: String) -> NotificationText {
        switch trigger {
        case .approach:
            switch side {
            case "left", "right": "\(bold: title) is ahead on the \(side ?? ""), in about \(Self.whole(eta ?? 0)) s."
            default: "\(bold: title) is ahead, in about \(Self.whole(eta ?? 0)) s."
            }
        case .enter:
            if let distance {
                "\(bold: title) is near, \(Self.whole(distance)) m away."
            } else {
                "\(bold: title) is near."
            }
        case .cross: "You have passed \(bold: title)."
        case .dwell: "You are staying at \(bold: title)."
        case .exit where isAlarm: "Alarm: \(bold: title) has been left."
        case .exit: "You have left \(bold: title)."
        }
    }
}
