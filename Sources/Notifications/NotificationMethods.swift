public import EventStream
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

    private static let id = Parameter<String>.required("notification", .string(length: 1...32), "Its id.")

    private var reading: [Method<Principal>] {
        [
            .stored(
                "notifications.list",
                "Notifications, newest first, a page at a time; those listed that were new are unread from then on.",
                Parameter<Notification.State?>.optional("state", "Only those of this state."),
                Parameter<String?>.optional("kind", .kind(among: context.notifications), "Only those of this kind."),
                Parameter<PageRequest<Int64>>.page(of: "notifications.list", upTo: Self.largestPage, usually: 50),
                answers: .page(
                    "notifications", "The notifications, each with the state that it had until it was listed."),
                errors: [.invalidValue], right: .person, handler: list),
            .stored(
                "notifications.badge", "How many notifications are new.",
                answers: .object { Member("count", .integer, "How many were never listed.") { $0 } }, right: .person,
                handler: badge),
            .stored(
                "notifications.get", "One notification, with what it leads to; its state stays.", Self.id,
                answers: Resolved.shape, errors: [.notFound], right: .person, handler: get),
            .stored(
                "notifications.open", "One notification, with what it leads to; it is read from then on.", Self.id,
                answers: Resolved.shape, errors: [.notFound], right: .person, handler: open),
        ]
    }

    private var changing: [Method<Principal>] {
        [
            .stored(
                "notifications.read", "Marks one notification as read, or all.", Which.parameter,
                answers: .object {
                    Member("read", .integer, "How many were not read before.") { $0.read }
                    Member("count", .integer, "How many are new now.") { $0.new }
                }, errors: [.notFound, .invalidValue], right: .person, handler: read),
            .stored(
                "notifications.act",
                "Presses the button of a notification: tells which link to open, or calls its method, which it does once.",
                Self.id, answers: Pressed.shape, errors: [.notFound, .conflict], right: .person, handler: act),
            .stored(
                "notifications.remove", "Removes a notification.", Self.id,
                answers: .object { Member("notification", .text, "Its id.") { $0 } }, errors: [.notFound],
                right: .person, handler: remove),
        ]
    }

    private var choosing: [Method<Principal>] {
        [
            .stored(
                "notifications.rules", "What you are told, and when.",
                answers: NotificationRules.shape(among: context.notifications),
                right: .person, handler: rules),
            .stored(
                "notifications.setRules", "Changes what is given of what you are told, and when; the rest stays.",
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
        .optional("notification", .string(length: 1...32), "Its id; left out for all."),
        .optional("all", .boolean, "True for all, in place of one."),
    ]) { members throws(Refusal) in
        let id: String? = try members.value("notification")
        switch (id, try members.value("all") ?? false) {
        case (let id?, false): return .one(id)
        case (nil, true): return .all
        case (nil, false): throw Refusal.invalid("notification", "is missing; all: true is for all")
        case (_?, true): throw Refusal.invalid("all", "must be left out where one is named")
        }
    }
}
