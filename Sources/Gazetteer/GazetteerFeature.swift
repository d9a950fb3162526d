public import Service
import Store

/// The gazetteer: places by name from GeoNames' tables, which the owner imports.
///
/// It is a room of its own, below sights, trips and plans: all of these ask it what a place is called, and what it has
/// itself is nobody's.
public enum GazetteerFeature {
    /// The feature.
    public static let feature: Feature = {
        var feature = Feature { context, _ in GazetteerMethods(context: context).all }
        feature.migrations = [GazetteerSchema.migration]
        return feature
    }()
}
