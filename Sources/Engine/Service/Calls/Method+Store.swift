package import Callers
package import RPC
import Store

extension Method where Identity == Principal {
    /// Returns a method that needs the store, and answers with error 5 (unavailable) while the store is unavailable.
    package static func stored<each Value: Sendable, Answer: Sendable>(
        _ name: String, _ summary: String, _ parameters: repeat Parameter<each Value>, answers: AnswerShape<Answer>,
        errors: [Refusal.Kind] = [], right: AccessRight, question: String? = nil,
        handler: @escaping @Sendable (Call<Principal>, repeat each Value) async throws -> Answer
    ) -> Method {
        Method(
            name, summary, repeat each parameters, answers: answers,
            errors: errors.contains(.unavailable) ? errors : errors + [.unavailable], right: right, question: question,
            translate: { ($0 as? StoreError)?.refusal }, handler: handler)
    }
}

extension StoreError {
    /// The refusal that callers receive while the store is temporarily unavailable, at every door; `nil` for any other
    /// error.
    package var refusal: Refusal? {
        switch self {
        case .full, .busy, .moved, .tooLong: .unavailable("\(self).")
        // Whoever calls may not know the paths of this machine.
        case .readOnly(_, let reason):
            .unavailable(
                "The store cannot be written (\(reason)), so nothing was saved. Reading still works. Ask the administrator."
            )
        case .damaged(_, let detail):
            .unavailable(
                "The store is damaged (\(detail)). Ask the administrator to restore a backup, or to save what can be read "
                    + "with \"waymark recover\".")
        default: nil
        }
    }
}
