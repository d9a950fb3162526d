public import People
import Schemas
public import Service
import Store

/// The feature of posts, in which people show outfits and products to their followers, who react to them.
public enum PostsFeature {
    /// Creates the feature.
    ///
    /// - Parameter accounts: The accounts, whose outbox sends the mails that people request.
    public static func feature(_ accounts: Accounts) -> Feature {
        var feature = Feature { context, _ in
            PostMethods(context).all + ProductMethods(context, accounts.outbox).all
        }
        feature.migrations = [PostSchema.migration]
        feature.subjects = [PostSubject(), ProductSubject()]
        feature.notifications = [.verdict]
        return feature
    }
}
