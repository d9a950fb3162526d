import Service
import Store

/// The table of suggestions that people send each other.
///
/// All functions run in the caller's transaction.
public enum Suggestions {
}
