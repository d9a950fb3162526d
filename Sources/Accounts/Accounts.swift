public import EventStream
public import Service
public import Store

/// What the methods about people share besides the store; made once for a daemon.
public struct Accounts: Sendable {
    /// The mails that are to be sent.
    public let outbox = Outbox()
    /// The callers that are connected, by whom they are signed in as.
    public let connections = LiveConnections()
    /// The people who are administrators in a browser.
    public let administrators = Administrators()
    /// Makes and tries passwords.
    public let passwords: Passwords
    /// What the administrator has chosen.
    public let settings: AccountSettings

    /// Accounts of which nobody is signed in.
    public init(settings: AccountSettings = AccountSettings(), passwords: Passwords = Passwords()) {
        self.settings = settings
        self.passwords = passwords
    }

    /// Reads who acts as whom and who is an administrator, before anyone connects.
    public func learn(from store: LocationDatabase) throws {
        try connections.learn(from: store)
        try administrators.learn(from: store)
    }

    /// The steps that people, sessions, circles and mail add to the schema of the store.
    public static let migrations = [
        People.migration, Outbox.migration, Budget.migration, Outbox.namelessMigration, People.nameMigration,
        Invitations.migration, Administrators.migration,
    ]

    /// People, proof of address, sessions, circles and mail.
    public var feature: Feature {
        var feature = Feature { context, _ in PeopleMethods(context, self).all + MailMethods(context).all }
        feature.migrations = Self.migrations
        feature.subjects = [PersonSubject()]
        feature.notifications = [.friend]
        feature.sessions = { PeopleMethods($0, self).keeping }
        return feature
    }
}

/// What the administrator has chosen for accounts and their mail.
public struct AccountSettings: Hashable, Sendable {
    /// The command that takes a mail on its standard input and sends it, such as `/usr/sbin/sendmail -t`.
    ///
    /// Its words are separated by spaces, and no shell sees them. Nil where mail stays in the outbox, or goes to
    /// ``mailFile``.
    public var mailCommand: String?
    /// The file that mails are appended to instead of being sent; nil for none.
    public var mailFile: String?
    /// Whom mails say they are from.
    public var mailSender = "waymark@localhost"
    /// Where people find help, such as a mail address; told to a person who cannot sign in.
    public var support: String?
    /// What an invitation leads to.
    public var invitation: String?

    /// Mail stays in the outbox, and nothing else is chosen.
    public init() {}
}
