package import EventStream
package import RPC
import Store

extension Method where Identity == Principal {
    /// A method that needs the store, and answers 5 while that cannot be used.
    package static func stored(
        _ name: String, _ summary: String, parameters: [Field] = [], result: Schema, errors: [RPCError.Code] = [],
        right: AccessRight, question: String? = nil, handler: @escaping Method<Principal>.Handler
    ) -> Method {
        Method(
            name, summary, parameters: parameters, result: result,
            errors: errors.contains(.unavailable) ? errors : errors + [.unavailable], right: right, question: question
        ) { call in
            do {
                return try await handler(call)
            } catch let error as StoreError {
                switch error {
                case .full, .busy, .moved, .tooLong: throw RPCError.unavailable("\(error).")
                default: throw error
                }
            }
        }
    }
}
