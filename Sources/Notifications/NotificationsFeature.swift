public import Service
public import Store

/// The notification centre.
public enum NotificationsFeature {
    /// The steps that notifications add to the schema of the store.
    public static let migrations = [Notifications.migration, Notifications.authorMigration]

    /// The feature; it comes last in the list of features, for buttons call the methods of the others.
    public static let feature: Feature = {
        var feature = Feature { context, earlier in NotificationMethods(context, others: earlier).all }
        feature.migrations = migrations
        feature.consumers = { [NearNotifications(subjects: $0.subjects)] }
        feature.notify = { draft, db, consequences in try Notifications.tell(draft, in: db, &consequences) }
        return feature
    }()
}
