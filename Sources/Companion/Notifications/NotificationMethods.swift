public import Callers
public import RPC
public import Service
import Store

/// The methods of the notification centre.
///
/// Each concerns only the notifications of the signed-in person.
public struct NotificationMethods: Sendable {
    package let context: ServiceContext
    /// The methods that buttons may call.
    let callable: MethodTable<Principal>

    /// The maximum number of notifications on one page of `notifications.list`.
    static let largestPage = 200

    /// Creates the methods for a daemon's service context.
    ///
    /// - Parameter others: All other methods of the daemon, which buttons may call.
    public init(_ context: ServiceContext, others: [Method<Principal>]) {
        self.context = context
        var callable = MethodTable<Principal>(title: "Buttons", version: "1")
        callable.add(others)
        self.callable = callable
    }

    /// All methods about notifications.
    public var all: [Method<Principal>] { reading + changing + choosing }

    private static let id = Parameter<String>.required(
        "notification", .string(length: 1...32), "The notification's id.")

    private var reading: [Method<Principal>] {
        [
            .stored(
                "notifications.list",
                "Lists your notifications, newest first, in pages; new ones that it lists become unread.",
                Parameter<Notification.State?>.optional(
                    "state", "The state of the notifications to list; all states by default."),
                Parameter<String?>.optional(
                    "kind", .kind(among: context.notifications),
                    "The kind of the notifications to list; all kinds by default."),
                Parameter<PageRequest<Int64>>.page(of: "notifications.list", upTo: Self.largestPage, default: 50),
                answers: .page(
                    "notifications", "The notifications, each with its state before this call."),
                errors: [.invalidValue], right: .person, handler: list),
            .stored(
                "notifications.badge", "Returns the number of your new notifications.",
                answers: .object {
                    Member("count", .integer, "The number of notifications that were never listed.") { $0 }
                }, right: .person,
                handler: badge),
            .stored(
                "notifications.get",
                "Returns a notification and the subject that it leads to, without changing its state.", Self.id,
                answers: Resolved.shape, errors: [.notFound], right: .person, handler: get),
            .stored(
                "notifications.open", "Returns a notification and the subject that it leads to, and marks it as read.",
                Self.id,
                answers: Resolved.shape, errors: [.notFound], right: .person, handler: open),
        ]
    }

    private var changing: [Method<Principal>] {
        [
            .stored(
                "notifications.read", "Marks one notification or all of them as read.", Which.parameter,
                answers: .object {
                    Member("read", .integer, "The number of notifications that were not read before.") { $0.read }
                    Member("count", .integer, "The number of notifications that are new now.") { $0.new }
                }, errors: [.notFound, .invalidValue], right: .person, handler: read),
            .stored(
                "notifications.act",
                "Presses the button of a notification: returns the link to open, or calls its method, but only once.",
                Self.id, answers: ButtonResult.shape, errors: [.notFound, .conflict], right: .person, handler: act),
            .stored(
                "notifications.remove", "Removes a notification.", Self.id,
                answers: .object { Member("notification", .text, "The notification's id.") { $0 } },
                errors: [.notFound],
                right: .person, handler: remove),
        ]
    }

    private var choosing: [Method<Principal>] {
        [
            .stored(
                "notifications.rules", "Returns your choices of what you are notified of, and when.",
                answers: NotificationRules.shape(among: context.notifications),
                right: .person, handler: rules),
            .stored(
                "notifications.setRules",
                "Changes the given choices of what you are notified of, and when; the others stay.",
                NotificationRules.Change.parameter(among: context.notifications),
                answers: NotificationRules.shape(among: context.notifications), errors: [.invalidValue],
                right: .person, handler: setRules),
        ]
    }
}

/// The notifications that a call marks as read.
enum Which: Sendable {
    case one(String)
    case all

    static let parameter = Parameter<Which>([
        .optional("notification", .string(length: 1...32), "The notification's id; omitted if all is true."),
        .optional("all", .boolean, "Whether to mark all notifications, in place of one."),
    ]) { members throws(Refusal) in
        let id: String? = try members.value("notification")
        switch (id, try members.value("all") ?? false) {
        case (let id?, false): return .one(id)
        case (nil, true): return .all
        case (nil, false): throw Refusal.invalid("notification", "is missing; give it, or set all to true")
        case (_?, true): throw Refusal.invalid("all", "must be omitted if notification is given")
        }
    }
}
