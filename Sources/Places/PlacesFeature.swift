public import Service
import Store

/// Sights, devices, visits, and why there was an event or none.
public enum PlacesFeature {
    /// The feature.
    public static let feature: Feature = {
        var feature = Feature { context, _ in
            DeviceMethods(context).all + SightMethods(context).all + VisitMethods(context).all
                + ExplainMethods(store: context.store, present: context.present).all
        }
        feature.migrations = [
            SightStore.migration, SightStore.ownerMigration, SightSearch.migration, Visits.migration,
            SightStore.identifierMigration,
        ]
        feature.subjects = [SightSubject()]
        feature.consumers = { _ in [VisitConsumer()] }
        return feature
    }()
}
