public import Service

/// The feature of recorded trips: reading, editing, import and export.
public enum TripsFeature {
    /// The methods and the file route of the feature.
    public static let feature: Feature = {
        var feature = Feature { context, _ in TripMethods(context).all }
        feature.files = { [TripMethods($0).route] }
        return feature
    }()
}
