package import GRDB
import RPC

/// The target that a notification opens.
package enum NotificationDestination: Hashable {
    /// A subject, as `waymark://KIND/ID`.
    case inside(SubjectID)
    /// A web page, as `http://…` or `https://…`.
    case link(String)

    /// The maximum length of the text in bytes.
    package static let longest = 2048
    private static let scheme = "waymark://"

    /// Parses a destination; `nil` if the scheme is another one or the text is malformed.
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

    /// Returns whether a link may contain a scalar.
    ///
    /// It excludes everything that could end an attribute or a line (RFC 3986, section 2; RFC 3987 for scalars beyond
    /// ASCII).
    private static func isOfLink(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\"", "<", ">", "\\", "^", "`", "{", "|", "}": false
        case "\0"..." ", "\u{7F}"..."\u{A0}", "\u{2028}", "\u{2029}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}":
            false
        default: true
        }
    }

    /// Returns the subject that this leads to; `nil` for a link, and if the viewer may not see the subject or it does
    /// not exist.
    package func subject(for viewer: Viewer, among subjects: Subjects, in db: Database) throws -> Subject? {
        guard case .inside(let id) = self else { return nil }
        return try subjects.find(id, for: viewer, in: db)
    }
}
