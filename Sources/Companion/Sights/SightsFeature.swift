public import Service

/// The feature of sights, anchors and visits, and of explanations why a geofence emitted an event or did not.
public enum SightsFeature {
    /// The methods, migrations, subjects, geofences and log consumers of the feature.
    public static let feature: Feature = {
        var feature = Feature { context, _ in
            SightMethods(context).all + VisitMethods(context).all + AnchorMethods(context).all
                + ExplainMethods(context).all
        }
        feature.migrations = [
            SightStore.migration, SightStore.ownerMigration, SightSearch.migration, Visits.migration,
            SightStore.identifierMigration, SightTally.migration, SightPoints.migration,
            Visits.viewMigration, SightStore.shapeMigration, SightStore.ruleMigration, Anchors.migration,
        ]
        feature.subjects = [SightSubject()]
        feature.geofences = [SightGeofences()]
        feature.places = [SightPlaces()]
        feature.notifications = [.sight]
        feature.consumers = { _ in [VisitConsumer(), AnchorConsumer()] }
        return feature
    }()
}
