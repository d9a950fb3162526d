import Service
import Store

/// The marks that people put on subjects.
///
/// All functions run in the caller's transaction.
public enum Reactions {
    /// The kind of a mark.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The person loves the subject.
        case heart
        /// The person likes the subject.
        case like
        /// The person wants to find the subject again.
        ///
        /// Nobody else is shown who saved it.
        case save
    }
}
