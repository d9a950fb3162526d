public import Service
import Store

/// The feature of the gazetteer: places by name, from GeoNames' tables that the administrator imports, and from the
/// extracts of OpenStreetMap of which the maps are made.
///
/// The gazetteer is a room of its own, below sights, trips and plans. All of these ask it for names of places. Its
/// places belong to nobody.
public enum GazetteerFeature {
    /// The feature with its methods and its migration.
    public static let feature: Feature = {
        var feature = Feature { context, _ in GazetteerMethods(context: context).all }
        feature.migrations = [GazetteerSchema.migration, GazetteerSchema.names]
        return feature
    }()
}
