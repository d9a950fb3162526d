public import Service

/// Recorded trips: reading, editing, import and export.
public enum JourneysFeature {
    /// The feature.
    public static let feature: Feature = {
        var feature = Feature { context, _ in TripMethods(context).all }
        feature.files = { [TripMethods($0).route] }
        return feature
    }()
}
