import Devices
import Gazetteer
public import People
import Schemas
public import Service
import Sights
public import Store
import Trips

#if Companion
import Reviews
public import Photos
import Notifications
import Plans
import Posts
import Reports
import Uplink
import Votes
public import WebPush
#endif

/// The features of a daemon: the only list of them, from which everything else that concerns all features comes.
public struct FeatureList: Sendable {
    /// The features in order; a notification's button may call the methods of those before the last.
    let features: [Feature]

    #if Companion
    /// Creates the list of all features, with additional ones in `more`.
    ///
    /// - Parameters:
    ///   - accounts: The state that the methods about people share.
    ///   - media: The files beside the store; `nil` before the store is open, when no feature serves calls.
    ///   - push: What notifies people in their browsers.
    public init(
        accounts: Accounts = Accounts(), media: Media? = nil, push: WebPush = WebPush(), more: [Feature] = []
    ) {
        features =
            [
                accounts.feature, GazetteerFeature.feature, SightsFeature.feature, DevicesFeature.feature,
                TripsFeature.feature, ReviewsFeature.feature, Media.feature(media), PlansFeature.feature(media),
                VotesFeature.feature(accounts), PostsFeature.feature(accounts), ReportsFeature.feature,
                UplinkFeature.feature, push.feature,
            ] + more + [NotificationsFeature.feature]
    }
    #else
    /// Creates the list of the engine's features, with additional ones in `more`.
    public init(accounts: Accounts = Accounts(), more: [Feature] = []) {
        features =
            [
                accounts.feature, GazetteerFeature.feature, SightsFeature.feature, DevicesFeature.feature,
                TripsFeature.feature,
            ] + more
    }
    #endif

    /// The list without additional features, before a store is open.
    public static let standard = FeatureList()

    /// The steps that the features add to the schema of a store, in the order of the ledger.
    ///
    /// Those of features that this build leaves out are among them; see ``Schemas``.
    public var migrations: [StoreMigration] {
        let steps = ServiceSchema.migrations + features.flatMap(\.migrations)
        let known = Set(steps.map(\.name))
        return (steps + Schemas.migrations.filter { !known.contains($0.name) }).sorted { $0.place < $1.place }
    }

    /// The sources of the features' geofences.
    public var geofences: [any GeofenceSource] { features.flatMap(\.geofences) }
}
