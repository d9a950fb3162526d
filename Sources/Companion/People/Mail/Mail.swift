import Service

/// A mail to one person.
public struct Mail: Hashable, Sendable {
    /// The recipient's address.
    public var recipient: String
    /// The recipient's name.
    public var name: String
    /// The subject line.
    ///
    /// It contains no secret, because others may see it.
    public var subject: String
    /// The plain text of the body.
    public var body: String
    /// How long the mail is useful, in milliseconds from its creation.
    ///
    /// After that it is given up.
    public var lifetime: Int64

    /// The default lifetime, in milliseconds: five days, as RFC 5321, section 4.5.4.1, recommends.
    public static let defaultLifetime: Int64 = 5 * 24 * 3_600_000

    /// Creates a mail.
    public init(
        to recipient: String, name: String, subject: String, body: String, lifetime: Int64 = Mail.defaultLifetime
    ) {
        self.recipient = recipient
        self.name = name
        self.subject = subject
        self.body = body
        self.lifetime = lifetime
    }
}
