public import Accounts
public import Service
public import Store

/// Posts: what people wear and what can be bought, shown to those who follow them, and what they make of it.
public enum PostsFeature {
    /// What it adds to the schema of the store.
    public static let migrations = [PostSchema.migration]

    /// The feature.
    ///
    /// - Parameter accounts: whose outbox takes the mails that people have themselves sent.
    public static func feature(_ accounts: Accounts) -> Feature {
        var feature = Feature { context, _ in
            PostMethods(context).all + ProductMethods(context, accounts.outbox).all
        }
        feature.migrations = migrations
        feature.subjects = [PostSubject(), ProductSubject()]
        return feature
    }
}
