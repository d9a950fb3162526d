import Callers
import GRDB
import RPC
import Service
import Store
import TextCoding

extension NotificationMethods {
    /// Presses the button of a notification.
    ///
    /// The press is stored before the method is called, and undone if the method fails. If the daemon crashes in
    /// between, the method is not called, which is better than calling it twice.
    @Sendable func act(_ call: Call<Principal>, _ id: String) async throws -> ButtonResult {
        let viewer = try call.person()
        let pressed = try await context.editor.change { [now = context.now] db, _ in
            let notification = try Self.find(id, of: viewer, in: db)
            guard let button = notification.button else {
                throw Refusal.conflict("The notification \(id) has no button.")
            }
            guard !button.isDone else {
                throw Refusal.conflict(
                    "The button of the notification \(id) was pressed already, and it works only once.")
            }
            if case .call = button.action { try Notifications.setDone(now(), notification.number, in: db) }
            try Notifications.markRead(notification.number, in: db)
            return (after: try Self.find(id, of: viewer, in: db), action: button.action)
        }
        switch pressed.action {
        case .open(let url):
            return ButtonResult(notification: pressed.after, url: url)
        case .call(let method, let parameters):
            do {
                let result = try await perform(method, parameters, as: viewer)
                return ButtonResult(notification: pressed.after, result: result)
            } catch {
                // The caller gets the method's error, even if undoing the press fails.
                try? await context.editor.change { db, _ in
                    try Notifications.setDone(nil, pressed.after.number, in: db)
                }
                throw error
            }
        }
    }

    /// Calls a method as the person, without any additional rights of the caller.
    ///
    /// The author of the button may have fewer rights than the caller.
    private func perform(_ method: String, _ parameters: String, as person: String) async throws -> JSONText {
        guard case .object(let members) = try JSONValue(parsing: Array(parameters.utf8).span) else {
            throw Refusal.unavailable("The action of the button cannot be read.")
        }
        let request = Request(id: nil, method: method, parameters: .named(members))
        switch await callable.dispatch(request, from: .acting(as: person)) {
        case .success(let text): return text
        case .failure(let error) where error.code == .notFound || error.code == .conflict: throw error
        case .failure(let error) where error.code == .notAllowed || error.code == .unavailable: throw error
        // The button is from an earlier version, or the object of its method has changed.
        case .failure(let error): throw Refusal.conflict("The button can no longer call \(method): \(error.message)")
        }
    }

    /// The result of pressing a button.
    struct ButtonResult: Answerable, Sendable {
        var notification: Notification
        /// The link to open, or `nil` if a method was called.
        var url: String?
        /// The answer of the method, or `nil` if there is a link to open.
        var result: JSONText?

        static let shape = AnswerShape<ButtonResult>.object {
            Member("notification", Notification.shape, "The notification, which is now read.") { $0.notification }
            Member.optional("url", .text, "The link to open; absent if a method was called.") { $0.url }
            Member.optional("result", .json(.any), "The answer of the method; absent if there is a link to open.") {
                $0.result
            }
        }
    }
}
