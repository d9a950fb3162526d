public import Accounts
public import Service
public import Store

/// The feature of votes.
///
/// A person opens a vote where they stand, others find it nearby, and choices stay secret.
public enum VotesFeature {
    /// The migrations of the feature.
    public static let migrations = [VoteSchema.migration]

    /// The source of the geofences of open votes.
    public static let geofences: [any GeofenceSource] = [VoteGeofences()]

    /// Creates the feature.
    ///
    /// - Parameter accounts: The accounts, whose password hashing also protects passcodes.
    public static func feature(_ accounts: Accounts) -> Feature {
        var feature = Feature { context, _ in VoteMethods(context, accounts.passwords).all }
        feature.migrations = migrations
        feature.subjects = [VoteSubject()]
        feature.geofences = geofences
        feature.consumers = { _ in [NearbyVoteConsumer()] }
        feature.timers = { _ in [VoteEnds()] }
        feature.notifications = [.vote]
        return feature
    }
}
