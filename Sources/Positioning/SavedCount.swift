/// What counts of a device's saved state may be.
public enum SavedCount {
    /// No device counts so far.
    ///
    /// It would take 3,000 years at 10 Hz. Five hundred of them added, and counted on, overflow nothing.
    public static let bounds = 0...(1 << 40)
}
