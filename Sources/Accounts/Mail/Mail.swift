import Service

/// A mail on its way to one person.
public struct Mail: Hashable, Sendable {
    /// The address.
    public var recipient: String
    /// The name of whose address it is.
    public var name: String
    /// What it is about; others may read it over a shoulder, so no secret stands in it.
    public var subject: String
    /// The text, in lines.
    public var body: String
    /// How long it is of use, in milliseconds from when it was made; then it is given up.
    public var lifetime: Int64

    /// How long a mail is tried to be sent, in milliseconds: the days of RFC 5321, section 4.5.4.1.
    public static let usualLifetime: Int64 = 5 * 24 * 3_600_000

    /// A mail.
    public init(
        to recipient: String, name: String, subject: String, body: String, lifetime: Int64 = Mail.usualLifetime
    ) {
        self.recipient = recipient
        self.name = name
        self.subject = subject
        self.body = body
        self.lifetime = lifetime
    }
}
