import TextCoding

/// What links an answer to its request: a text or a number that the client chose, or null (JSON-RPC 2.0, section 4).
public enum RequestID: Sendable, Hashable {
    /// A text.
    case string(String)
    /// A whole number.
    case integer(Int64)
    /// A number with a fraction: allowed, if not wise.
    case number(Double)
    /// Null: allowed, and the id of an answer to what had no readable id.
    case null

    /// The longest text taken as an id, in bytes; no program needs more, and each answer repeats it.
    public static let maximumLength = 128

    /// Nil where the value cannot be an id.
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

    /// The id as a value.
    var value: JSONValue {
        switch self {
        case .string(let value): .string(value)
        case .integer(let value): .integer(value)
        case .number(let value): .number(value)
        case .null: .null
        }
    }
}

/// A call, as a client sends it.
public struct Request: Sendable, Equatable {
    /// What the answer is to carry; nil for a notification, which is not answered.
    public let id: RequestID?
    /// The method called.
    public let method: String
    /// What it is called with.
    public let parameters: Parameters

    /// Parameters by name or by position.
    public enum Parameters: Sendable, Equatable {
        /// By name.
        case named(JSONObject)
        /// By position, in the order in which the method declares them.
        case positional([JSONValue])
    }

    /// A request, or with no id a notification.
    public init(id: RequestID?, method: String, parameters: Parameters = .named(JSONObject())) {
        self.id = id
        self.method = method
        self.parameters = parameters
    }

    /// The request as one line, with its end.
    public var line: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("jsonrpc", "2.0")
            if let id {
                json.key("id")
                json.value(id.value)
            }
            json.member("method", method)
            json.key("params")
            switch parameters {
            case .named(let members): json.value(.object(members))
            case .positional(let values): json.value(.array(values))
            }
        }
        return json.bytes + [LineFraming.end]
    }
}

/// What is wrong with a request, and the id to answer with.
struct RejectedRequest: Error, Equatable {
    let id: RequestID
    let error: RPCError
}

extension Request {
    /// Reads a request object; members that JSON-RPC does not know are passed over.
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
                throw rejected("id must be a number, null or a text of at most \(RequestID.maximumLength) bytes")
            }
        }
        guard members["jsonrpc"] == "2.0" else { throw rejected("jsonrpc must be \"2.0\"", id) }
        guard case .string(let method)? = members["method"] else { throw rejected("method must be a text", id) }
        let parameters: Parameters
        switch members["params"] {
        case nil: parameters = .named(JSONObject())
        case .object(let members)?: parameters = .named(members)
        case .array(let values)?: parameters = .positional(values)
        case let other?: throw rejected("params must be an object or an array, not \(other.kind)", id)
        }
        self.init(id: id, method: method, parameters: parameters)
    }
}
