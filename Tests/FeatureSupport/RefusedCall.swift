package import RPC
import Testing

/// A call that is refused, with its expected error.
package struct RefusedCall: Sendable, CustomTestStringConvertible {
    package var method: String
    package var parameters: JSONObject
    package var code: RPCError.Code
    package var field: String?

    package init(_ method: String, _ parameters: JSONObject, _ code: RPCError.Code, _ field: String? = nil) {
        self.method = method
        self.parameters = parameters
        self.code = code
        self.field = field
    }

    package var testDescription: String { "\(method) \(code.rawValue) \(field ?? "") \(parameters)" }
}
