import Callers
import GRDB
import People
import RPC
import Service
import Store

extension NotificationMethods {
    @Sendable func list(
        _ call: Call<Principal>, in state: Notification.State?, of kind: String?,
        asked: PageRequest<Int64>
    ) async throws -> Page<Notification> {
        let (viewer, seer) = (try call.person(), call.viewer)
        let (page, shown) = try await context.store.read { [context] db in
            var page = asked.page(of: Notification.self)
            var shown: [Int64] = []
            try Notifications.forEach(
                of: try Self.number(of: viewer, in: db), state: state, kind: kind, before: asked.after,
                limit: asked.limit + 1, in: db
            ) { notification in
                var notification = notification
                try notification.write(for: seer, of: context.notifications, among: context.subjects, in: db)
                guard page.append(notification, at: notification.number) else { return false }
                if notification.state == .new { shown.append(notification.number) }
                return true
            }
            return (page, shown)
        }
        if !shown.isEmpty { try await context.editor.note { db, _ in try Notifications.markShown(shown, in: db) } }
        return page
    }

    @Sendable func badge(_ call: Call<Principal>) async throws -> Int {
        let viewer = try call.person()
        return try await context.store.read { db in
            try Notifications.badge(of: Self.number(of: viewer, in: db), in: db)
        }
    }

    @Sendable func get(_ call: Call<Principal>, _ id: String) async throws -> Resolved {
        let (viewer, seer) = (try call.person(), call.viewer)
        return try await context.store.read { [context] db in
            try Resolved(Self.find(id, of: viewer, in: db), for: seer, of: context, in: db)
        }
    }

    @Sendable func open(_ call: Call<Principal>, _ id: String) async throws -> Resolved {
        let viewer = try call.person()
        // While the store cannot be written, the notification opens and stays unread.
        try await context.editor.note { db, _ in
            try Notifications.markRead(Self.find(id, of: viewer, in: db).number, in: db)
        }
        let seer = call.viewer
        return try await context.store.read { [context] db in
            try Resolved(Self.find(id, of: viewer, in: db), for: seer, of: context, in: db)
        }
    }

    /// A notification with the subject that it leads to, if the person may see that subject.
    struct Resolved: Answerable, Sendable {
        private let notification: Notification
        private let subject: Subject?

        fileprivate init(
            _ notification: Notification, for viewer: Viewer, of context: ServiceContext, in db: Database
        ) throws {
            var notification = notification
            try notification.write(for: viewer, of: context.notifications, among: context.subjects, in: db)
            self.notification = notification
            subject = try NotificationDestination(notification.destination)?
                .subject(for: viewer, among: context.subjects, in: db)
        }

        static let shape = AnswerShape<Resolved>.object {
            Notification.members.of { $0.notification }
            Member.optional(
                "subject",
                .object {
                    Member("id", .text, "The subject's id, as KIND/ID.") { $0.id.description }
                    Member("title", .text, "The subject's title.") { $0.title }
                    Member.optional("information", .text, "Information about the subject.") { $0.information }
                    Member.optional("image", .text, "The id of the subject's picture.") { $0.image }
                },
                "The subject that it leads to; absent if it leads to a link, or if you can no longer see the subject."
            ) { $0.subject }
        }
    }

    @Sendable func read(_ call: Call<Principal>, _ which: Which) async throws -> (read: Int, new: Int) {
        let viewer = try call.person()
        if case .one(let id) = which {
            return try await context.editor.change { db, _ in
                let person = try Self.number(of: viewer, in: db)
                let notification = try Self.find(id, of: viewer, in: db)
                try Notifications.markRead(notification.number, in: db)
                return (notification.state == .read ? 0 : 1, try Notifications.badge(of: person, in: db))
            }
        }
        // In slices, so that a fix need not wait for all of them; what comes meanwhile is not read.
        var (last, read) = (nil as Int64?, 0)
        while true {
            let slice = try await context.editor.change { [last] db, _ in
                let person = try Self.number(of: viewer, in: db)
                let last = try last ?? Notifications.last(of: person, in: db)
                let count = try Notifications.markRead(
                    of: person, upTo: last, limit: LocationDatabase.pruningStep, in: db)
                return (last: last, count: count, new: try Notifications.badge(of: person, in: db))
            }
            read += slice.count
            guard slice.count == LocationDatabase.pruningStep else { return (read, slice.new) }
            last = slice.last
        }
    }

    @Sendable func remove(_ call: Call<Principal>, _ id: String) async throws -> String {
        let viewer = try call.person()
        try await context.editor.change { db, _ in
            try Notifications.remove(Self.find(id, of: viewer, in: db).number, in: db)
        }
        return id
    }

    @Sendable func rules(_ call: Call<Principal>) async throws -> NotificationRules {
        let viewer = try call.person()
        return try await context.store.read { db in
            try NotificationRules.of(Self.number(of: viewer, in: db), in: db)
        }
    }

    @Sendable func setRules(
        _ call: Call<Principal>, to change: NotificationRules.Change
    ) async throws -> NotificationRules {
        let viewer = try call.person()
        return try await context.editor.change { db, _ in
            let person = try Self.number(of: viewer, in: db)
            var rules = try NotificationRules.of(person, in: db)
            try rules.apply(change)
            try rules.keep(for: person, in: db)
            return rules
        }
    }

    /// Returns the number of the signed-in person.
    ///
    /// - Throws: `Refusal` (`.notAllowed`) if the account was removed.
    static func number(of viewer: String, in db: Database) throws -> Int64 {
        guard let number = try People.number(of: viewer, in: db) else {
            throw Refusal.notAllowed("The account \(viewer) no longer exists.")
        }
        return number
    }

    /// Returns a notification of the signed-in person.
    ///
    /// - Throws: `Refusal` (`.notFound`) if the person has no such notification.
    static func find(_ id: String, of viewer: String, in db: Database) throws -> Notification {
        guard let notification = try Notifications.find(id, of: number(of: viewer, in: db), in: db) else {
            throw Refusal.notFound("You have no notification \(id). notifications.list lists your notifications.")
        }
        return notification
    }
}
