import TextCoding

/// The id that links an answer to its request: a string, a number or null, chosen by the client (JSON-RPC 2.0,
/// section 4).
public enum RequestID: Sendable, Hashable {
    /// A string.
    case string(String)
    /// An integer.
    case integer(Int64)
    /// A number with a fraction, which the specification permits but discourages.
    case number(Double)
    /// Null, also the id of an answer to a request whose id could not be read.
    case null

    /// The maximum length of a string in bytes.
    ///
    /// No program needs more, and each answer repeats the id.
    public static let maximumLength = 128

    /// Converts a JSON value; `nil` if it cannot be an id.
    init?(_ value: JSONValue) {
        switch value {
        case .string(let value):
            guard value.utf8.count <= Self.maximumLength else { return nil }
            self = .string(value)
        case .integer(let value): self = .integer(value)
        case .number(let value): self = .number(value)
        case .null: self = .null
        default: return nil
        }
    }

    /// The id as a JSON value.
    var value: JSONValue {
        switch self {
        case .string(let value): .string(value)
        case .integer(let value): .integer(value)
        case .number(let value): .number(value)
        case .null: .null
        }
    }
}

/// A request or a notification of a client.
public struct Request: Sendable, Equatable {
    /// The id for the answer; `nil` for a notification, which is not answered.
    public let id: RequestID?
    /// The name of the method.
    public let method: String
    /// The parameters.
    public let parameters: Parameters
    /// An id that the client made for this call, so that it can send the call again without knowing whether the first
    /// one arrived; `nil` if it does not.
    ///
    /// It has the form that ``isOnce(_:)`` checks. It is no part of JSON-RPC, whose ids are only unique among the calls
    /// that are not answered yet.
    public let once: String?

    /// Parameters by name or by position.
    public enum Parameters: Sendable, Equatable {
        /// Parameters by name.
        case named(JSONObject)
        /// Parameters by position, in the order of the method's declaration.
        case positional([JSONValue])
    }

    /// Creates a request, or a notification if `id` is `nil`.
    public init(
        id: RequestID?, method: String, parameters: Parameters = .named(JSONObject()), once: String? = nil
    ) {
        self.id = id
        self.method = method
        self.parameters = parameters
        self.once = once
    }

    /// Returns whether a text has the form of ``once``: 16 to 64 ASCII letters, digits and hyphens.
    public static func isOnce(_ text: String) -> Bool {
        (16...64).contains(text.utf8.count)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    }

    /// The request as one line with its ending.
    public var line: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("jsonrpc", "2.0")
            if let id {
                json.key("id")
                json.value(id.value)
            }
            json.member("method", method)
            json.member("once", once)
            json.key("params")
            switch parameters {
            case .named(let members): json.value(.object(members))
            case .positional(let values): json.value(.array(values))
            }
        }
        return json.bytes + [LineFraming.end]
    }
}

/// The error in a request, and the id for the answer.
struct RejectedRequest: Error, Equatable {
    let id: RequestID
    let error: RPCError
}

extension Request {
    /// Parses a request object.
    ///
    /// Members unknown to JSON-RPC are ignored.
    init(_ value: JSONValue) throws(RejectedRequest) {
        func rejected(_ reason: String, _ id: RequestID? = nil) -> RejectedRequest {
            RejectedRequest(id: id ?? .null, error: RPCError(.invalidRequest, "Not a JSON-RPC 2.0 request: \(reason)."))
        }
        guard case .object(let members) = value else {
            throw rejected("it must be an object, not \(value.kind)")
        }
        var id: RequestID?
        if let given = members["id"] {
            id = RequestID(given)
            guard id != nil else {
                throw rejected("id must be a number, null or a string of at most \(RequestID.maximumLength) bytes")
            }
        }
        guard members["jsonrpc"] == "2.0" else { throw rejected("jsonrpc must be \"2.0\"", id) }
        guard case .string(let method)? = members["method"] else { throw rejected("method must be a string", id) }
        var once: String?
        switch members["once"] {
        case nil: break
        case .string(let text)? where Self.isOnce(text): once = text
        default: throw rejected("once must be a string of 16 to 64 letters, digits and hyphens", id)
        }
        let parameters: Parameters
        switch members["params"] {
        case nil: parameters = .named(JSONObject())
        case .object(let members)?: parameters = .named(members)
        case .array(let values)?: parameters = .positional(values)
        case let other?: throw rejected("params must be an object or an array, not \(other.kind)", id)
        }
        self.init(id: id, method: method, parameters: parameters, once: once)
    }
}
