public import Accounts
public import Service
public import Store

/// The feature of posts, in which people show outfits and products to their followers, who react to them.
public enum PostsFeature {
    /// The migrations of the feature.
    public static let migrations = [PostSchema.migration]

    /// Creates the feature.
    ///
    /// - Parameter accounts: The accounts, whose outbox sends the mails that people request.
    public static func feature(_ accounts: Accounts) -> Feature {
        var feature = Feature { context, _ in
            PostMethods(context).all + ProductMethods(context, accounts.outbox).all
        }
        feature.migrations = migrations
        feature.subjects = [PostSubject(), ProductSubject()]
        return feature
    }
}
