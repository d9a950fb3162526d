package import GRDB
import RPC

/// Where a notification leads.
package enum NotificationDestination: Hashable {
    /// To something within: `waymark://KIND/ID`.
    case inside(SubjectID)
    /// To a page elsewhere: `http://…` or `https://…`.
    case link(String)

    /// The longest as text, in bytes.
    package static let longest = 2048
    private static let scheme = "waymark://"

    /// Reads a destination; nil for any other scheme, and for what is none at all.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.longest else { return nil }
        if text.hasPrefix(Self.scheme) {
            guard let id = SubjectID(String(text.dropFirst(Self.scheme.count))),
                !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else { return nil }
            self = .inside(id)
        } else {
            let lower = text.lowercased()
            guard let scheme = ["http://", "https://"].first(where: lower.hasPrefix),
                let host = lower.dropFirst(scheme.count).first, host != "/", host != "?", host != "#",
                text.unicodeScalars.allSatisfy(Self.isOfLink)
            else { return nil }
            self = .link(text)
        }
    }

    /// Whether a link may hold it: nothing that ends an attribute or a line (RFC 3986, section 2; RFC 3987 for
    /// what is beyond ASCII).
    private static func isOfLink(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\"", "<", ">", "\\", "^", "`", "{", "|", "}": false
        case "\0"..." ", "\u{7F}"..."\u{A0}", "\u{2028}", "\u{2029}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}":
            false
        default: true
        }
    }

    /// What it leads to within, as far as someone may see it; nil for a link, and for what is not there for them.
    package func subject(for viewer: Viewer, among subjects: Subjects, in db: Database) throws -> Subject? {
        guard case .inside(let id) = self else { return nil }
        return try subjects.find(id, for: viewer, in: db)
    }
}
