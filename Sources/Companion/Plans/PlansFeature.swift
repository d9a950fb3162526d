public import Photos
import Schemas
public import Service
import Store

/// The feature of plans: intended journeys with their places, days, people and money.
public enum PlansFeature {
    /// Creates the feature.
    ///
    /// - Parameter media: The files of photos, from which links to plans show photos; `nil` before the store is open.
    public static func feature(_ media: Media?) -> Feature {
        let lookers = PlanLookers()
        var feature = Feature { context, _ in PlanMethods(context, lookers).all }
        feature.migrations = PlanSchema.migrations
        feature.files = { context in
            media.map { PlanMethods(context).routes(PhotoMethods(context, $0)) } ?? []
        }
        feature.subjects = PlanSubject.all
        feature.joinable = [PlanInvitations()]
        feature.geofences = [LocationGeofences()]
        feature.places = [LocationPlaces()]
        feature.consumers = { _ in [LocationStampConsumer(), PlanTripConsumer()] }
        feature.timers = { _ in [PlanBinEmptying()] }
        feature.notifications = [.plan, .change, .task]
        return feature
    }
}
