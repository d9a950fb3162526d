public import Callers
public import Service
public import Store

/// The state that the methods about people share besides the store.
///
/// A daemon creates one instance.
public struct Accounts: Sendable {
    /// The outbox, which holds the mails to be sent.
    public let outbox = Outbox()
    /// The open connections and the people who are signed in on them.
    public let connections = LiveConnections()
    /// The people who are administrators in a browser.
    public let administrators = Administrators()
    #if Companion
    /// The service that hashes and verifies passwords.
    public let passwords: Passwords
    /// The administrator's settings for accounts and mail.
    public let settings: AccountSettings
    /// The clock for the answers that come after a fixed time.
    let clock: any Clock<Duration>

    /// Creates the state without connections or administrators; ``load(from:)`` reads them from the store.
    public init(
        settings: AccountSettings = AccountSettings(), passwords: Passwords = Passwords(),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.settings = settings
        self.passwords = passwords
        self.clock = clock
    }
    #else
    /// Creates the state without connections or administrators; ``load(from:)`` reads them from the store.
    public init() {}
    #endif

    /// Reads which users of the machine act as which person, and who is an administrator.
    ///
    /// Call this before the first client connects.
    public func load(from store: LocationDatabase) throws {
        try connections.load(from: store)
        try administrators.load(from: store)
    }

    /// The feature that adds people, proof of mail addresses, sessions, circles and mail to the daemon.
    public var feature: Feature {
        #if Companion
        var feature = Feature { context, _ in PeopleMethods(context, self).all + MailMethods(context).all }
        #else
        // Nobody signs in, but the tables say who sees which device.
        var feature = Feature()
        #endif
        feature.migrations = [
            People.migration, Outbox.migration, Budget.migration, Outbox.namelessMigration, People.nameMigration,
            Invitations.migration, Invitations.subjectMigration, Administrators.migration, DeviceGroups.migration,
            Follows.countMigration,
            Sessions.nameMigration, RepeatedCalls.migration,
        ]
        feature.subjects = [PersonSubject()]
        feature.notifications = [.friend, .follower]
        #if Companion
        feature.sessions = { PeopleMethods($0, self).sessionResumption }
        #endif
        return feature
    }
}

/// The administrator's settings for accounts and their mail.
public struct AccountSettings: Hashable, Sendable {
    /// The command that reads a mail from its standard input and sends it, such as `/usr/sbin/sendmail -t`.
    ///
    /// The words are separated by spaces, and no shell interprets them. If `nil`, mail stays in the outbox or is
    /// appended to ``mailFile``.
    public var mailCommand: String?
    /// The file that mails are appended to instead of being sent, or `nil` for none.
    public var mailFile: String?
    /// The sender's address in the `From` field of mails.
    public var mailSender = "waymark@localhost"
    /// The contact for help, such as a mail address, which is shown to people who cannot sign in.
    public var support: String?
    /// The link that invitations contain, or `nil` if there is none.
    public var invitation: String?

    /// Creates the default settings: mail stays in the outbox, and there is neither a contact for help nor an
    /// invitation link.
    public init() {}
}
