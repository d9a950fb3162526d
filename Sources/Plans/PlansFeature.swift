public import Media
public import Service
public import Store

/// The feature of plans: intended journeys with their places, days, people and money.
public enum PlansFeature {
    /// The migrations that create the tables of plans.
    public static let migrations = PlanSchema.migrations
    /// The sources of geofences that plans add.
    public static let geofences: [any GeofenceSource] = [LocationGeofences()]

    /// Creates the feature.
    ///
    /// - Parameter media: the photo store, from which links to plans show photos.
    public static func feature(_ media: Media) -> Feature {
        var feature = Feature { context, _ in PlanMethods(context).all }
        feature.migrations = migrations
        feature.files = { PlanMethods($0).routes(PhotoMethods($0, media)) }
        feature.subjects = PlanSubject.all
        feature.geofences = geofences
        feature.places = [LocationPlaces()]
        feature.consumers = { _ in [LocationStampConsumer(), PlanTripConsumer()] }
        feature.notifications = [.plan]
        return feature
    }
}
