/// Why something that was asked for is not done, as the code that does it says it.
///
/// It knows nothing of the numbers of JSON-RPC: ``RPCError/init(_:)`` is the one place that gives each kind its code.
public struct Refusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of reason it is.
    public let kind: Kind
    /// What is wrong and what to do, one sentence or two for people.
    public let message: String
    /// What programs need besides; its members depend on the kind.
    public let data: JSONValue?

    /// The kinds of reasons.
    public enum Kind: Sendable, CaseIterable {
        /// What was named does not exist, or the caller may not see it, which is the same to them.
        case notFound
        /// The caller may not do this.
        case notAllowed
        /// It contradicts what is.
        case conflict
        /// A field is missing or has a value that will not do; `data` has `field` and `reason`.
        case invalidValue
        /// It cannot be had now.
        case unavailable
        /// The events asked for are no longer kept; `data` has `first` and `last`.
        case cursorGone
    }

    /// A refusal as it stands; the functions below make the usual ones.
    public init(_ kind: Kind, _ message: String, data: JSONValue? = nil) {
        self.kind = kind
        self.message = message
        self.data = data
    }

    /// The field that will not do, and why; nil where it is none that is at fault.
    public var fault: (field: String, reason: String)? {
        guard kind == .invalidValue, case .string(let field)? = data?["field"],
            case .string(let reason)? = data?["reason"]
        else { return nil }
        return (field, reason)
    }

    /// The message.
    public var description: String { message }

    /// What was named does not exist, or the caller may not see it.
    public static func notFound(_ message: String) -> Refusal { Refusal(.notFound, message) }

    /// There is no such thing of an id, or the caller may not see it.
    public static func absent(_ kind: String, id: String) -> Refusal { notFound("There is no \(kind) \(id).") }

    /// The caller may not do this.
    public static func notAllowed(_ message: String) -> Refusal { Refusal(.notAllowed, message) }

    /// It contradicts what is.
    public static func conflict(_ message: String, data: JSONValue? = nil) -> Refusal {
        Refusal(.conflict, message, data: data)
    }

    /// A field is missing or has a value that will not do, for a reason such as "must not be empty".
    public static func invalid(_ field: String, _ reason: String) -> Refusal {
        Refusal(
            .invalidValue, "\(field): \(reason)",
            data: ["field": .string(field), "reason": .string(reason)])
    }

    /// It cannot be had now.
    public static func unavailable(_ message: String) -> Refusal { Refusal(.unavailable, message) }

    /// There are as many as there may be; `data` has the `limit`.
    public static func full(_ message: String, limit: Int) -> Refusal {
        Refusal(.unavailable, message, data: ["reason": "quota", "limit": .integer(Int64(clamping: limit))])
    }

    /// Events after the one named are no longer kept, only those from `first` to `last`.
    public static func cursorGone(after seq: Int64, first: Int64, last: Int64) -> Refusal {
        Refusal(
            .cursorGone,
            "Events after \(seq) are no longer all kept: the first is \(first), the last \(last). "
                + "Ask for those after \(first - 1) and take the rest as missed.",
            data: ["first": .integer(first), "last": .integer(last)])
    }
}

extension RPCError {
    /// What a caller is told of a refusal.
    public init(_ refusal: Refusal) {
        self.init(Code(refusal.kind), refusal.message, data: refusal.data)
    }
}

extension RPCError.Code {
    /// The code of a kind of refusals.
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
