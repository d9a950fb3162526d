/// Why a call was not answered: a JSON-RPC error object.
public struct RPCError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The number that programs look at.
    public let code: Code
    /// What is wrong and what to do, one sentence or two for people.
    public let message: String
    /// What programs need besides; its members depend on the code.
    public let data: JSONValue?

    /// An error as it stands.
    public init(_ code: Code, _ message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// The message and the code.
    public var description: String { "\(message) (error \(code.rawValue))" }

    /// The kinds of errors: those reserved by JSON-RPC 2.0, section 5.1, and the six of this interface.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: Int

        /// The code of that number, known or not.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The line is not JSON.
        public static let parseError = Code(rawValue: -32700)
        /// The JSON is no request.
        public static let invalidRequest = Code(rawValue: -32600)
        /// There is no such method.
        public static let methodNotFound = Code(rawValue: -32601)
        /// The parameters as a whole are not the method's: an unknown name, or too many by position.
        public static let invalidParameters = Code(rawValue: -32602)
        /// The fault is the server's.
        public static let internalError = Code(rawValue: -32603)
        /// What was named does not exist.
        public static let notFound = Code(rawValue: 1)
        /// The caller may not do this.
        public static let notAllowed = Code(rawValue: 2)
        /// It contradicts what is.
        public static let conflict = Code(rawValue: 3)
        /// A parameter is missing or has a value that will not do; `data` has `field` and `reason`.
        public static let invalidValue = Code(rawValue: 4)
        /// It cannot be had now.
        public static let unavailable = Code(rawValue: 5)
        /// The events asked for are no longer kept; `data` has `first` and `last`.
        public static let cursorGone = Code(rawValue: 6)

        /// What the code means, in a few words; "error" for an unknown one.
        public var summary: String {
            switch self {
            case .parseError: "parse error"
            case .invalidRequest: "invalid request"
            case .methodNotFound: "method not found"
            case .invalidParameters: "invalid params"
            case .internalError: "internal error"
            case .notFound: "not found"
            case .notAllowed: "not allowed"
            case .conflict: "conflict"
            case .invalidValue: "invalid value"
            case .unavailable: "unavailable"
            case .cursorGone: "cursor gone"
            default: "error"
            }
        }
    }

    /// It cannot be had now.
    public static func unavailable(_ message: String) -> RPCError { RPCError(.unavailable, message) }

    /// The parameters as a whole are not the method's; `field` is the parameter at fault where there is one.
    static func invalidParameters(_ reason: String, field: String? = nil) -> RPCError {
        RPCError(
            .invalidParameters, reason,
            data: field.map { ["field": .string($0), "reason": .string(reason)] })
    }
}
