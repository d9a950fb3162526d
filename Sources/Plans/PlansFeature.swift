public import Media
public import Service
public import Store

/// Plans: journeys that people intend, with their places, days, people and money.
public enum PlansFeature {
    /// The steps that plans add to the schema of the store.
    public static let migrations = PlanSchema.migrations
    /// What plans have watched.
    public static let geofences: [any GeofenceSource] = [LocationGeofences()]

    /// The feature.
    ///
    /// - Parameter media: the photos, which a link to a plan shows.
    public static func feature(_ media: Media) -> Feature {
        var feature = Feature { context, _ in PlanMethods(context).all }
        feature.migrations = migrations
        feature.files = { PlanMethods($0).routes(PhotoMethods($0, media)) }
        feature.subjects = PlanSubject.all
        feature.geofences = geofences
        feature.places = [LocationPlaces()]
        feature.consumers = { _ in [LocationStamps(), JoiningTrips()] }
        feature.notifications = [.plan]
        return feature
    }
}
