package import Money
package import RPC

extension Amount: Answerable {
    package static let shape = AnswerShape<Amount>.object {
        Member("amount", .text, "The amount, as a decimal number.") { $0.text }
        Member("currency", .text, "The currency's ISO 4217 code.") { $0.currency.code }
    }

    /// Parses the amount that a parameter gives.
    ///
    /// - Throws: Error 4 (invalid value), naming `field`, if the text is not an amount in `currency`.
    package init(given text: String, _ field: String, _ currency: Currency) throws(Refusal) {
        do {
            self = try Amount(text, currency)
        } catch {
            throw Refusal.invalid(field, error.reason)
        }
    }
}

extension Currency {
    /// Finds the currency that a parameter names.
    ///
    /// - Throws: Error 4 (invalid value), naming `field`, if there is no currency with that code.
    package init(given code: String, _ field: String = "currency") throws(Refusal) {
        do {
            self = try Currency(code)
        } catch {
            throw Refusal.invalid(field, error.reason)
        }
    }
}
