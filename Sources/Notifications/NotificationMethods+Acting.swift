import EventStream
import GRDB
import RPC
import Service
import Store
import TextCoding

extension NotificationMethods {
    /// Presses a button.
    ///
    /// That it was pressed is kept before its method is called, and taken back where the method refuses: in a crash
    /// between the two it is not called, rather than twice.
    @Sendable func act(_ call: Call<Principal>, _ id: String) async throws -> Pressed {
        let viewer = try call.person()
        let pressed = try await context.editor.change { [now = context.now] db, _ in
            let notification = try Self.find(id, of: viewer, in: db)
            guard let button = notification.button else {
                throw Refusal.conflict("The notification \(id) has no button.")
            }
            guard !button.isDone else { throw Refusal.conflict("That was done already, and is done but once.") }
            if case .call = button.action { try Notifications.setDone(now(), notification.number, in: db) }
            try Notifications.markRead(notification.number, in: db)
            return (after: try Self.find(id, of: viewer, in: db), action: button.action)
        }
        switch pressed.action {
        case .open(let url):
            return Pressed(notification: pressed.after, url: url)
        case .call(let method, let parameters):
            do {
                let result = try await perform(method, parameters, as: viewer)
                return Pressed(notification: pressed.after, result: result)
            } catch {
                // What the method says is told, whatever comes of taking it back.
                try? await context.editor.change { db, _ in
                    try Notifications.setDone(nil, pressed.after.number, in: db)
                }
                throw error
            }
        }
    }

    /// Calls a method as a person, with no right but theirs: whoever made the button may have less than the caller.
    private func perform(_ method: String, _ parameters: String, as person: String) async throws -> JSONText {
        guard case .object(let members) = try JSONValue(parsing: Array(parameters.utf8).span) else {
            throw Refusal.unavailable("What the button does cannot be read.")
        }
        let request = Request(id: nil, method: method, parameters: .named(members))
        switch await callable.dispatch(request, from: .acting(as: person)) {
        case .success(let text): return text
        case .failure(let error) where error.code == .notFound || error.code == .conflict: throw error
        case .failure(let error) where error.code == .notAllowed || error.code == .unavailable: throw error
        // It is of an earlier version, or what it is about has changed.
        case .failure(let error): throw Refusal.conflict("The button cannot do \(method) any more: \(error.message)")
        }
    }

    /// What has come of a button that was pressed.
    struct Pressed: Answerable, Sendable {
        var notification: Notification
        /// What to open; nil where a method was called.
        var url: String?
        /// What the method answered.
        var result: JSONText?

        static let shape = Shape<Pressed>.object {
            Member("notification", Notification.shape, "The notification, which is read now.") { $0.notification }
            Member.optional("url", .text, "What to open.") { $0.url }
            Member.optional("result", .json(.any), "What the method answered.") { $0.result }
        }
    }
}
