public import Service
public import Store

/// Sights, devices, visits, and why there was an event or none.
public enum PlacesFeature {
    /// The steps that sights and visits add to the schema of the store.
    public static let migrations = [
        SightStore.migration, SightStore.ownerMigration, SightSearch.migration, Visits.migration,
        SightStore.identifierMigration,
    ]

    /// The feature.
    public static let feature: Feature = {
        var feature = Feature { context, _ in
            DeviceMethods(context).all + SightMethods(context).all + VisitMethods(context).all
                + ExplainMethods(store: context.store, present: context.present).all
        }
        feature.migrations = migrations
        feature.subjects = [SightSubject()]
        feature.consumers = { _ in [VisitConsumer()] }
        return feature
    }()
}
