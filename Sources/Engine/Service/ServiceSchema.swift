public import Store

/// The tables that all features share.
public enum ServiceSchema {
    /// The steps that create the tables.
    public static let migrations = [Subjects.migration, LogProgress.migration]
}
