/// A JSON-RPC error object, the answer to a failed call.
public struct RPCError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The code for programs.
    public let code: Code
    /// The problem and its remedy for people, in one or two sentences.
    public let message: String
    /// Additional data for programs, whose members depend on the code.
    public let data: JSONValue?

    /// Creates an error.
    public init(_ code: Code, _ message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// The message and the code.
    public var description: String { "\(message) (error \(code.rawValue))" }

    /// The error codes: those reserved by JSON-RPC 2.0, section 5.1, and the six of this interface.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: Int

        /// Creates a code with any number.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The line is not JSON.
        public static let parseError = Code(rawValue: -32700)
        /// The JSON value is not a request.
        public static let invalidRequest = Code(rawValue: -32600)
        /// The method does not exist.
        public static let methodNotFound = Code(rawValue: -32601)
        /// The parameters have an unknown name, or too many positional values.
        public static let invalidParameters = Code(rawValue: -32602)
        /// The server failed.
        public static let internalError = Code(rawValue: -32603)
        /// The named object does not exist.
        public static let notFound = Code(rawValue: 1)
        /// The caller does not have permission.
        public static let notAllowed = Code(rawValue: 2)
        /// The request contradicts the current state.
        public static let conflict = Code(rawValue: 3)
        /// A parameter is missing or invalid; `data` has `field` and `reason`.
        public static let invalidValue = Code(rawValue: 4)
        /// The request cannot be served at the moment.
        public static let unavailable = Code(rawValue: 5)
        /// The requested events are no longer stored; `data` has `first` and `last`.
        public static let cursorGone = Code(rawValue: 6)

        /// The meaning of the code in a few words; "error" for an unknown code.
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

    /// Returns an error for a request that cannot be served at the moment.
    public static func unavailable(_ message: String) -> RPCError { RPCError(.unavailable, message) }

    /// Returns an error for an unknown parameter or too many positional values.
    ///
    /// - Parameter field: The parameter at fault, if there is one.
    static func invalidParameters(_ reason: String, field: String? = nil) -> RPCError {
        RPCError(
            .invalidParameters, reason,
            data: field.map { ["field": .string($0), "reason": .string(reason)] })
    }
}
