public import People
import Schemas
public import Service
import Store

/// The feature of votes.
///
/// A person opens a vote where they stand, others find it nearby, and choices stay secret.
public enum VotesFeature {
    /// Creates the feature.
    ///
    /// - Parameter accounts: The accounts, whose password hashing also protects passcodes.
    public static func feature(_ accounts: Accounts) -> Feature {
        var feature = Feature { context, _ in VoteMethods(context, accounts.passwords).all }
        feature.migrations = VoteSchema.migrations
        feature.subjects = [VoteSubject()]
        feature.geofences = [VoteGeofences()]
        feature.consumers = { _ in [NearbyVoteConsumer()] }
        feature.timers = { _ in [VoteEnds()] }
        feature.notifications = [.vote, .ballot, .question]
        return feature
    }
}
