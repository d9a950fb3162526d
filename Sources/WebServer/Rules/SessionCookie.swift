/// The cookie by which a browser is known again.
enum SessionCookie {
    /// Its name.
    static let name = "waymark"
    /// How long a browser keeps it, in seconds: as long as a session that nobody uses stays open.
    private static let lifetime = 183 * 24 * 3600
    /// The longest token.
    private static let longest = 64

    /// The token in the header `Cookie`; nil where there is none, or more than one, of which nobody knows whose it is.
    static func token(in header: String?) -> String? {
        guard let header else { return nil }
        let values = header.split(separator: ";").compactMap { pair -> Substring? in
            let pair = pair.drop { $0 == " " }
            guard let equals = pair.firstIndex(of: "="), pair[..<equals] == name else { return nil }
            return pair[equals...].dropFirst()
        }
        guard values.count == 1, let value = values.first, isToken(value) else { return nil }
        return String(value)
    }

    /// The header `Set-Cookie` that gives a browser a token; without one, that takes it away.
    ///
    /// - Parameter isSecure: whether it is sent through TLS alone.
    static func setting(_ token: String?, isSecure: Bool) -> String {
        "\(name)=\(token ?? ""); Path=/; Max-Age=\(token == nil ? 0 : lifetime); HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
    }

    private static func isToken(_ text: Substring) -> Bool {
        (1...longest).contains(text.utf8.count)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }
}
