public import Accounts
public import Service
public import Store

/// Votes: opened where a person stands, found by being there, and secret until they end.
public enum VotesFeature {
    /// What it adds to the schema of the store.
    public static let migrations = [VoteSchema.migration]

    /// The open votes, which are watched.
    public static let geofences: [any GeofenceSource] = [VoteGeofences()]

    /// The feature.
    ///
    /// - Parameter accounts: whose hashing of passwords keeps the passcodes too.
    public static func feature(_ accounts: Accounts) -> Feature {
        var feature = Feature { context, _ in VoteMethods(context, accounts.passwords).all }
        feature.migrations = migrations
        feature.subjects = [VoteSubject()]
        feature.geofences = geofences
        feature.consumers = { _ in [VoteNearby()] }
        feature.timers = { _ in [VoteEnds()] }
        feature.notifications = [.vote]
        return feature
    }
}
