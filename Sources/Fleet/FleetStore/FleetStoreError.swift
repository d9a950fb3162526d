#if Fleet
/// Why a call of the fleet's database failed.
///
/// Nothing of a failed call is in the database, except after `unreachable` and `timedOut`: then its transaction may
/// have been committed or not.
public struct FleetStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of the failure.
    public enum Kind: Hashable, Sendable {
        /// The server cannot be reached, or is gone.
        case unreachable
        /// The server has not answered in time.
        case timedOut
        /// Another worker has taken the partition, so this one must forget all it knows of it.
        case fenced
        /// The server does not take these values, and never will.
        case unusableValue
        /// The database has no fleet, or one of a later version.
        case noFleet
        /// The server refused the call for another reason, such as a full disk.
        case refused
        /// What the database holds cannot be read.
        case damaged
    }

    /// The kind of the failure.
    public let kind: Kind
    /// The reason, in the words of the server or of libpq where there are some.
    public let description: String

    /// The error of a program that does not ask now, because the database did not answer a moment ago.
    public static let away = FleetStoreError(.unreachable, "the database did not answer a moment ago")

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// Creates the error of a failed statement from its SQLSTATE (PostgreSQL, appendix A) and message.
    init(state: String, message: String) {
        let kind: Kind =
            switch state.prefix(2) {
            case _ where state == Self.fence: .fenced
            case "21", "22", "23": .unusableValue
            case _ where state == "42501": .refused
            case "3F", "42": .noFleet
            case "08", "57", "": .unreachable
            default: .refused
            }
        let words = message.isEmpty ? "the connection is gone" : message
        self.init(
            kind,
            kind == .noFleet ? "\(words); \"waymark fleet init\" prepares a database" : "the database: \(words)")
    }

    /// The SQLSTATE of the function that refuses a worker whose partition another one has taken.
    static let fence = "WM001"
}
#endif
