public import Store

/// What the features' common ground adds to the schema of the store.
public enum ServiceSchema {
    /// All steps.
    public static let migrations = [Subjects.migration, LogProgress.migration]
}
