import Service
import Store

/// The table of reviews.
///
/// All functions run in the caller's transaction.
///
/// A review is visible unless it is hidden. An administrator can hide it, and ``flagsThatHide`` flags hide it until an
/// administrator decides. Only its author and administrators see a hidden review, and it counts in no rating.
public enum Reviews {
    /// The number of flags that hide a review until an administrator decides.
    ///
    /// A single flag may be a grudge; with a higher number, many people would read a bad review before it is hidden.
    public static let flagsThatHide = 3
}
