import TextCoding

/// A message from the server: an answer or a notification.
public enum ServerMessage: Sendable, Equatable {
    /// The answer to the request with an id.
    case answer(RequestID, Result<JSONValue, RPCError>)
    /// A notification, which answers no request.
    case notification(method: String, parameters: JSONValue)

    /// Parses one line from the server.
    ///
    /// - Throws: ``JSONError`` if the line is not JSON or not a message of JSON-RPC 2.0.
    public init(parsing line: Span<UInt8>) throws(JSONError) {
        let value = try JSONValue(parsing: line)
        if case .string(let method)? = value["method"], value["id"] == nil {
            self = .notification(method: method, parameters: value["params"] ?? .null)
        } else if let id = value["id"].flatMap(RequestID.init), let result = value["result"] {
            self = .answer(id, .success(result))
        } else if let id = value["id"].flatMap(RequestID.init), let error = value["error"],
            case .integer(let code)? = error["code"], case .string(let message)? = error["message"]
        {
            let code = RPCError.Code(rawValue: Int(code))
            self = .answer(id, .failure(RPCError(code, message, data: error["data"])))
        } else {
            throw JSONError(offset: 0, reason: "not an answer or notification of JSON-RPC 2.0")
        }
    }
}

extension JSONWriter {
    /// Writes an answer as an object.
    mutating func answer(_ id: RequestID, _ result: Result<JSONText, RPCError>) {
        object { json in
            json.member("jsonrpc", "2.0")
            json.key("id")
            json.value(id.value)
            switch result {
            case .success(let text):
                json.key("result")
                json.raw(text.bytes)
            case .failure(let error):
                json.object("error") { json in
                    json.member("code", error.code.rawValue)
                    json.member("message", error.message)
                    guard let data = error.data else { return }
                    json.key("data")
                    json.value(data)
                }
            }
        }
    }
}

extension RPCError {
    /// The error as an answer to a request without a readable id, one line with its ending.
    public var line: [UInt8] {
        var json = JSONWriter()
        json.answer(.null, .failure(self))
        return json.bytes + [LineFraming.end]
    }
}
