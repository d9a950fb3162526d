import Accounts
package import EventStream
import GRDB
package import RPC
import Service
import Store
import TextCoding

extension NotificationMethods {
    @Sendable package func list(_ call: Call<Principal>) async throws -> JSONText {
        let limit = try call.limit(usually: 50)
        let state = try call.optional("state", as: String.self).flatMap(Notification.State.init(rawValue:))
        let kind: String? = try call.optional("kind")
        let before = try Self.mark(call)
        let viewer = try call.person()
        let (page, shown, last) = try await context.store.read { db in
            var page = TextPage(limit: limit)
            var shown: [Int64] = []
            var last: String?
            let person = try Self.number(of: viewer, in: db)
            try Notifications.forEach(of: person, state: state, kind: kind, before: before, in: db) { notification in
                guard page.take(.object { notification.writeMembers(to: &$0) }) else { return false }
                if notification.state == .new { shown.append(notification.number) }
                last = notification.id
                return true
            }
            return (page, shown, last)
        }
        if !shown.isEmpty { try await context.editor.change { db, _ in try Notifications.markShown(shown, in: db) } }
        return .object { json in
            page.write("notifications", to: &json)
            if page.isFull { json.member("next", last) }
        }
    }

    @Sendable package func badge(_ call: Call<Principal>) async throws -> JSONText {
        let viewer = try call.person()
        let count = try await context.store.read { db in
            try Notifications.badge(of: Self.number(of: viewer, in: db), in: db)
        }
        return .object { $0.member("count", count) }
    }

    @Sendable package func get(_ call: Call<Principal>) async throws -> JSONText {
        let (id, viewer) = (try call.value("notification", as: String.self), try call.person())
        return try await context.store.read { [context] db in
            try Self.text(of: Self.find(id, of: viewer, in: db), to: viewer, context, in: db)
        }
    }

    @Sendable package func open(_ call: Call<Principal>) async throws -> JSONText {
        let (id, viewer) = (try call.value("notification", as: String.self), try call.person())
        return try await context.editor.change { [context] db, _ in
            try Notifications.markRead(Self.find(id, of: viewer, in: db).number, in: db)
            return try Self.text(of: Self.find(id, of: viewer, in: db), to: viewer, context, in: db)
        }
    }

    /// A notification with what it leads to, as far as its person may see that.
    private static func text(
        of notification: Notification, to viewer: String, _ context: ServiceContext, in db: Database
    ) throws -> JSONText {
        let subject = try NotificationDestination(notification.destination)?
            .subject(for: Viewer(person: viewer), among: context.subjects, in: db)
        return .object { json in
            notification.writeMembers(to: &json)
            guard let subject else { return }
            json.object("subject") { json in
                json.member("id", subject.id.description)
                json.member("title", subject.title)
                json.member("information", subject.information)
                json.member("image", subject.image)
            }
        }
    }

    @Sendable package func read(_ call: Call<Principal>) async throws -> JSONText {
        let viewer = try call.person()
        let id: String? = try call.optional("notification")
        let isAll: Bool = try call.optional("all") ?? false
        guard id != nil || isAll else { throw RPCError.invalid("notification", "is missing; all: true is for all") }
        guard id == nil || !isAll else { throw RPCError.invalid("all", "must be left out where one is named") }
        let (read, count) = try await context.editor.change { db, _ in
            let person = try Self.number(of: viewer, in: db)
            var read = 0
            if let id {
                let notification = try Self.find(id, of: viewer, in: db)
                read = notification.state == .read ? 0 : 1
                try Notifications.markRead(notification.number, in: db)
            } else {
                read = try Notifications.markAllRead(of: person, in: db)
            }
            return (read, try Notifications.badge(of: person, in: db))
        }
        return .object { json in
            json.member("read", read)
            json.member("count", count)
        }
    }

    @Sendable package func remove(_ call: Call<Principal>) async throws -> JSONText {
        let (id, viewer) = (try call.value("notification", as: String.self), try call.person())
        try await context.editor.change { db, _ in
            try Notifications.remove(Self.find(id, of: viewer, in: db).number, in: db)
        }
        return .object { $0.member("notification", id) }
    }

    @Sendable package func rules(_ call: Call<Principal>) async throws -> JSONText {
        let viewer = try call.person()
        let rules = try await context.store.read { db in
            try NotificationRules.of(Self.number(of: viewer, in: db), in: db)
        }
        return .object { rules.writeMembers(to: &$0) }
    }

    @Sendable func setRules(_ call: Call<Principal>) async throws -> JSONText {
        let viewer = try call.person()
        let rules = try await context.editor.change { db, _ in
            let person = try Self.number(of: viewer, in: db)
            var rules = try NotificationRules.of(person, in: db)
            try rules.change(by: call.parameters)
            try rules.keep(for: person, in: db)
            return rules
        }
        return .object { rules.writeMembers(to: &$0) }
    }

    /// The number of whoever is signed in.
    static func number(of viewer: String, in db: Database) throws -> Int64 {
        guard let person = try People.find(viewer, in: db) else {
            throw RPCError.notAllowed("There is nobody called \(viewer) any more.")
        }
        return person.number
    }

    /// A notification of whoever is signed in; another's is not there for them.
    static func find(_ id: String, of viewer: String, in db: Database) throws -> Notification {
        guard let notification = try Notifications.find(id, of: number(of: viewer, in: db), in: db) else {
            throw RPCError.notFound("You have no notification \(id); notifications.list lists yours.")
        }
        return notification
    }

    /// Where the page before ended.
    private static func mark(_ call: Call<Principal>) throws(RPCError) -> Int64? {
        guard let text: String = try call.optional("after") else { return nil }
        guard let number = Int64(text) else { throw RPCError.invalid("after", "must be the next of a page before") }
        return number
    }
}
