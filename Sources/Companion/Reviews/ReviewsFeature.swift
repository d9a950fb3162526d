import Schemas
public import Service
import Store

/// The feature of people's opinions: reviews, reactions, flags, suggestions, and the ranking of sights.
public enum ReviewsFeature {
    /// The methods, migrations and notifications of the feature.
    public static let feature: Feature = {
        var feature = Feature { context, _ in
            let opinions = RankingMethods(context).all + ReviewMethods(context).all + ReactionMethods(context).all
            return opinions + SuggestionMethods(context).all + SubjectMethods(context).all + FlagMethods(context).all
        }
        feature.migrations = OpinionSchema.migrations
        feature.notifications = [.suggestion, .heart, .review, .flag]
        return feature
    }()
}
