/// The cookie that identifies a browser's session.
enum SessionCookie {
    /// The name of the cookie.
    static let name = "waymark"
    /// The time for which a browser keeps the cookie, in seconds.
    ///
    /// An unused session ends after the same time.
    private static let lifetime = 183 * 24 * 3600
    /// The longest token, in bytes.
    private static let longest = 64

    /// Returns the token in the header `Cookie`; `nil` if there is none, or several, whose origins cannot be told
    /// apart.
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

    /// Returns a header `Set-Cookie` that gives the browser a token, or removes the cookie if `token` is `nil`.
    ///
    /// - Parameter isSecure: Whether the browser sends the cookie over TLS only.
    static func setting(_ token: String?, isSecure: Bool) -> String {
        "\(name)=\(token ?? ""); Path=/; Max-Age=\(token == nil ? 0 : lifetime); HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
    }

    private static func isToken(_ text: Substring) -> Bool {
        (1...longest).contains(text.utf8.count)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }
}
