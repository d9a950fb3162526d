import Callers
import RPC
public import Service
import Store

/// The feature of sights, devices and visits, and of explanations why a geofence emitted an event or did not.
public enum PlacesFeature {
    /// The methods, migrations, subjects, geofences and log consumers of the feature.
    public static let feature: Feature = {
        var feature = Feature { context, _ in
            #if Companion
            // Phones report by HTTP, groups have people, and browsers open the links.
            let companion = GroupMethods(context).all + FollowMethods(context).all
            let reporting = ReportingMethods(context).all
            #else
            let (companion, reporting): ([Method<Principal>], [Method<Principal>]) = ([], [])
            #endif
            return DeviceMethods(context).all + reporting + SightMethods(context).all + VisitMethods(context).all
                + AnchorMethods(context).all + ExplainMethods(context).all + companion
        }
        feature.migrations = [
            SightStore.migration, SightStore.ownerMigration, SightSearch.migration, Visits.migration,
            SightStore.identifierMigration, SightTally.migration, SightPoints.migration,
            Visits.viewMigration, SightStore.shapeMigration, SightStore.ruleMigration,
            Anchors.migration, FollowLink.migration,
        ]
        feature.subjects = [SightSubject()]
        feature.geofences = [SightGeofences()]
        feature.places = [SightPlaces()]
        feature.notifications = [.sight]
        feature.consumers = { _ in [VisitConsumer(), AnchorConsumer()] }
        return feature
    }()
}
