public import EventStream
public import RPC
public import Service
import Store

/// The methods of the notification centre, each for who is signed in, and of theirs alone.
public struct NotificationMethods: Sendable {
    package let context: ServiceContext
    /// What buttons may call.
    let callable: MethodTable<Principal>

    /// The most notifications in one page of `notifications.list`.
    static let largestPage = 200

    /// The methods of a companion.
    ///
    /// - Parameter others: all other methods, which buttons may call.
    public init(_ context: ServiceContext, others: [Method<Principal>]) {
        self.context = context
        var callable = MethodTable<Principal>(title: "Buttons", version: "1")
        callable.add(others)
        self.callable = callable
    }

    /// The methods.
    public var all: [Method<Principal>] { reading + changing + choosing }

    package static let id = Field.required("notification", .string(length: 1...32), "Its id.")

    private static let resolved = Schema.object(
        Notification.fields + [
            .optional(
                "subject",
                .object([
                    .required("id", .string, "What it is, as KIND/ID."),
                    .required("title", .string, "What people call it."),
                    .optional("information", .string, "What there is to know about it."),
                    .optional("image", .string, "The id of its picture."),
                ]), "What it leads to within; left out where that is a link, or is not there any more.")
        ])

    private var reading: [Method<Principal>] {
        [
            .stored(
                "notifications.list",
                "Notifications, newest first, a page at a time; those listed that were new are unread from then on.",
                parameters: [
                    .optional(
                        "state", .choice(Notification.State.allCases.map(\.rawValue)), "Only those of this state."),
                    .optional(
                        "kind", .choice(NotificationDraft.Kind.allCases.map(\.rawValue)), "Only those of this kind."),
                    Field.limit(upTo: Self.largestPage, usually: 50), Field.after,
                ],
                result: .object([
                    .required(
                        "notifications", .array(of: .object(Notification.fields)),
                        "The notifications, each with the state that it had until it was listed."),
                    Field.next,
                ]), errors: [.invalidValue], right: .person, handler: list),
            .stored(
                "notifications.badge", "How many notifications are new.",
                result: .object([.required("count", .integer, "How many were never listed.")]), right: .person,
                handler: badge),
            .stored(
                "notifications.get", "One notification, with what it leads to; its state stays.",
                parameters: [Self.id], result: Self.resolved, errors: [.notFound], right: .person, handler: get),
            .stored(
                "notifications.open", "One notification, with what it leads to; it is read from then on.",
                parameters: [Self.id], result: Self.resolved, errors: [.notFound], right: .person, handler: open),
        ]
    }

    private var changing: [Method<Principal>] {
        [
            .stored(
                "notifications.read", "Marks one notification as read, or all.",
                parameters: [
                    .optional("notification", .string(length: 1...32), "Its id; left out for all."),
                    .optional("all", .boolean, "True for all, in place of one."),
                ],
                result: .object([
                    .required("read", .integer, "How many were not read before."),
                    .required("count", .integer, "How many are new now."),
                ]), errors: [.notFound, .invalidValue], right: .person, handler: read),
            .stored(
                "notifications.act",
                "Presses the button of a notification: tells which link to open, or calls its method, which it does once.",
                parameters: [Self.id],
                result: .object([
                    .required("notification", .object(Notification.fields), "The notification, which is read now."),
                    .optional("url", .string, "What to open."),
                    .optional("result", .any, "What the method answered."),
                ]), errors: [.notFound, .conflict], right: .person, handler: act),
            .stored(
                "notifications.remove", "Removes a notification.", parameters: [Self.id],
                result: .object([.required("notification", .string, "Its id.")]), errors: [.notFound], right: .person,
                handler: remove),
        ]
    }

    private var choosing: [Method<Principal>] {
        [
            .stored(
                "notifications.rules", "What one is told, and when.", result: NotificationRules.schema, right: .person,
                handler: rules),
            .stored(
                "notifications.setRules", "Changes what is given of what one is told, and when; the rest stays.",
                parameters: NotificationRules.parameters, result: NotificationRules.schema, errors: [.invalidValue],
                right: .person, handler: setRules),
        ]
    }
}
