public import Service
import Store

/// Sights, devices, visits, and why there was an event or none.
public enum PlacesFeature {
    /// The feature.
    public static let feature: Feature = {
        var feature = Feature { context, _ in
            DeviceMethods(context).all + SightMethods(context).all + VisitMethods(context).all
                + ExplainMethods(context).all
        }
        feature.migrations = [
            SightStore.migration, SightStore.ownerMigration, SightSearch.migration, Visits.migration,
            SightStore.identifierMigration, SightTally.migration, SightPoints.migration,
        ]
        feature.subjects = [SightSubject()]
        feature.geofences = [SightGeofences()]
        feature.places = [SightPlaces()]
        feature.notifications = [.sight]
        feature.consumers = { _ in [VisitConsumer()] }
        return feature
    }()
}
