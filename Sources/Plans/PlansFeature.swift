public import Service
import Store

/// Plans: journeys that people intend, with their places, days, people and money.
public enum PlansFeature {
    /// The feature.
    public static let feature: Feature = {
        var feature = Feature { context, _ in PlanMethods(context).all }
        feature.migrations = PlanSchema.migrations
        feature.files = { PlanMethods($0).routes }
        feature.subjects = PlanSubject.all
        feature.geofences = [LocationGeofences()]
        feature.places = [LocationPlaces()]
        feature.consumers = { _ in [LocationStamps(), JoiningTrips()] }
        feature.notifications = [.plan]
        return feature
    }()
}
