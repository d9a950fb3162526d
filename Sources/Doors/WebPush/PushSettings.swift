/// The administrator's settings of notifications in browsers.
public struct PushSettings: Hashable, Sendable {
    /// Which push services may be told.
    public enum Reach: String, CaseIterable, Hashable, Sendable {
        /// None: nobody is notified in a browser.
        case off
        /// Those on the internet.
        case on
        /// Those in private networks and on this machine, too.
        case anywhere = "private"
    }

    /// Which push services may be told.
    public var reach = Reach.on
    /// Where push services reach who runs this Waymark, `mailto:…` or `https://…`; `nil` if nobody has said.
    public var contact: String?

    /// Creates the default settings.
    public init() {}

    /// Creates settings.
    ///
    /// - Parameter support: The contact for help as people read it; it counts if it is a mail address or a page.
    public init(_ reach: Reach, support: String?) {
        self.reach = reach
        contact = support.flatMap(Self.contact)
    }

    private static func contact(_ support: String) -> String? {
        guard support.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x3C && $0 != 0x3E }) else {
            return nil
        }
        if support.hasPrefix("https://") || support.hasPrefix("mailto:") { return support }
        let parts = support.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } ? "mailto:\(support)" : nil
    }
}
