public import Service

/// Recorded trips: reading, editing, import and export.
public enum JourneysFeature {
    /// The feature.
    public static let feature = Feature { context, _ in TripMethods(context).all }
}
