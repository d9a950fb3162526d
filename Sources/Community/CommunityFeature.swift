public import Service
public import Store

/// What people make of things: reviews, reactions, suggestions, and the ranking of sights.
public enum CommunityFeature {
    /// The steps that reviews, reactions and suggestions add to the schema of the store.
    public static let migrations = [Reviews.migration, Reactions.migration, Suggestions.migration]

    /// The feature.
    public static let feature: Feature = {
        var feature = Feature { context, _ in
            RankingMethods(context).all + ReviewMethods(context).all + ReactionMethods(context).all
                + SuggestionMethods(context).all + SubjectMethods(context).all
        }
        feature.migrations = migrations
        return feature
    }()
}
