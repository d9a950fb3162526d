import Schemas
public import Service
import Store

/// The notification centre.
public enum NotificationsFeature {
    /// The feature that adds notifications to the daemon.
    ///
    /// It must be the last one in the list of features, because the buttons of notifications call the methods of the
    /// others.
    public static let feature: Feature = {
        var feature = Feature { context, earlier in NotificationMethods(context, others: earlier).all }
        feature.migrations = NotificationSchema.migrations
        feature.consumers = { [NearNotifications($0)] }
        feature.notifications = [.notice]
        feature.notify = { draft, db, consequences in try Notifications.add(draft, in: db, &consequences) }
        feature.gather = { act, subjects, db, consequences in
            try Notifications.gather(act, among: subjects, in: db, &consequences)
        }
        feature.withdraw = { withdrawal, db in try Notifications.withdraw(withdrawal, in: db) }
        return feature
    }()
}
