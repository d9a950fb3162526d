/// The bounds of the counts in a device's saved state.
public enum SavedCount {
    /// The range of valid counts, which no device exceeds.
    ///
    /// Counting that far takes 3,000 years at 10 Hz. The sum of five hundred such counts does not overflow, nor does
    /// counting on from there.
    public static let bounds = 0...(1 << 40)
}
