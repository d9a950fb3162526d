/// The reason why a request is refused, as domain code throws it.
///
/// It does not depend on JSON-RPC: only ``RPCError/init(_:)`` maps each kind to a code.
public struct Refusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of reason.
    public let kind: Kind
    /// The problem and its remedy for people, in one or two sentences.
    public let message: String
    /// Additional data for programs, whose members depend on the kind.
    public let data: JSONValue?

    /// The kinds of reasons.
    public enum Kind: Sendable, CaseIterable {
        /// The named object does not exist, or the caller may not see it.
        ///
        /// Callers cannot tell the two cases apart.
        case notFound
        /// The caller does not have permission.
        case notAllowed
        /// The request contradicts the current state.
        case conflict
        /// A field is missing or invalid; `data` has `field` and `reason`.
        case invalidValue
        /// The request cannot be served at the moment.
        case unavailable
        /// The requested events are no longer stored; `data` has `first` and `last`.
        case cursorGone
    }

    /// Creates a refusal.
    ///
    /// The functions below create the common ones.
    public init(_ kind: Kind, _ message: String, data: JSONValue? = nil) {
        self.kind = kind
        self.message = message
        self.data = data
    }

    /// The invalid field and the reason; `nil` if no field is at fault.
    public var fault: (field: String, reason: String)? {
        guard kind == .invalidValue, case .string(let field)? = data?["field"],
            case .string(let reason)? = data?["reason"]
        else { return nil }
        return (field, reason)
    }

    /// The message.
    public var description: String { message }

    /// Returns a refusal because the named object does not exist, or the caller may not see it.
    public static func notFound(_ message: String) -> Refusal { Refusal(.notFound, message) }

    /// Returns a refusal because there is no object of a kind with an id, or the caller may not see it.
    public static func absent(_ kind: String, id: String) -> Refusal { notFound("There is no \(kind) \(id).") }

    /// Returns a refusal because the caller does not have permission.
    public static func notAllowed(_ message: String) -> Refusal { Refusal(.notAllowed, message) }

    /// Returns a refusal because the request contradicts the current state.
    public static func conflict(_ message: String, data: JSONValue? = nil) -> Refusal {
        Refusal(.conflict, message, data: data)
    }

    /// Returns a refusal because a field is missing or invalid, with a reason such as "must not be empty".
    public static func invalid(_ field: String, _ reason: String) -> Refusal {
        Refusal(
            .invalidValue, "\(field): \(reason)",
            data: ["field": .string(field), "reason": .string(reason)])
    }

    /// Returns a refusal because the request cannot be served at the moment.
    public static func unavailable(_ message: String) -> Refusal { Refusal(.unavailable, message) }

    /// Returns a refusal because a limit is reached; `data` has the `limit`.
    public static func full(_ message: String, limit: Int) -> Refusal {
        Refusal(.unavailable, message, data: ["reason": "quota", "limit": .integer(Int64(clamping: limit))])
    }

    /// Returns a refusal because events after `seq` are no longer stored, only those from `first` to `last`.
    public static func cursorGone(after seq: Int64, first: Int64, last: Int64) -> Refusal {
        Refusal(
            .cursorGone,
            "Some events after \(seq) are no longer stored. The first stored event is \(first), the last is \(last). "
                + "Request the events after \(first - 1), and treat the earlier ones as missed.",
            data: ["first": .integer(first), "last": .integer(last)])
    }
}

extension RPCError {
    /// Creates the error that a caller receives for a refusal.
    public init(_ refusal: Refusal) {
        self.init(Code(refusal.kind), refusal.message, data: refusal.data)
    }
}

extension RPCError.Code {
    /// Returns the code of a kind of refusal.
    package init(_ kind: Refusal.Kind) {
        self =
            switch kind {
            case .notFound: .notFound
            case .notAllowed: .notAllowed
            case .conflict: .conflict
            case .invalidValue: .invalidValue
            case .unavailable: .unavailable
            case .cursorGone: .cursorGone
            }
    }
}
