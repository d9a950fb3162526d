public import Service
import Store

/// What people make of things: reviews, reactions, suggestions, and the ranking of sights.
public enum CommunityFeature {
    /// The feature.
    public static let feature: Feature = {
        var feature = Feature { context, _ in
            RankingMethods(context).all + ReviewMethods(context).all + ReactionMethods(context).all
                + SuggestionMethods(context).all + SubjectMethods(context).all
        }
        feature.migrations = [Reviews.migration, Reactions.migration, Suggestions.migration]
        feature.notifications = [.suggestion]
        return feature
    }()
}
