import Foundation
public import Positioning
public import Store

/// What all subjects of the companion work with; made once for a store.
public struct CompanionContext: Sendable {
    /// The store.
    public let store: LocationDatabase
    /// What is so at this moment.
    public let present: any Present
    /// Through which everything is changed.
    public let editor: Editor
    /// The mails that are to be sent.
    public let outbox = Outbox()
    /// The connections that are open, by who acts through them.
    public let connections = LiveConnections()
    /// Makes and tries passwords.
    public let passwords: Passwords
    /// What people can react to.
    public internal(set) var subjects: Subjects
    /// The files of photos.
    public let photos: PhotoFiles
    /// What draws pictures anew.
    let pictureTool: PictureTool
    /// What others get of photos.
    let photoCopies: PhotoCopies
    /// Files that come piece by piece.
    public let uploads: Uploads
    /// What whoever runs the daemon has chosen.
    public let settings: CompanionSettings
    /// The system's time, by which people's doings are stamped.
    public let now: @Sendable () -> Timestamp

    /// What all subjects of the companion over a store work with.
    public init(
        store: LocationDatabase, present: any Present, settings: CompanionSettings = CompanionSettings(),
        passwords: Passwords = Passwords(), now: @escaping @Sendable () -> Timestamp = { Timestamp.now() }
    ) {
        self.init(
            store: store, present: present, settings: settings, passwords: passwords, calls: FileCalls(), now: now)
    }

    /// - Parameter calls: how files are read and written.
    init(
        store: LocationDatabase, present: any Present, settings: CompanionSettings, passwords: Passwords,
        calls: FileCalls, now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.present = present
        self.settings = settings
        self.passwords = passwords
        self.now = now
        let folder = StateFolder(of: store, calls: calls)
        photos = PhotoFiles(folder: folder, now: now)
        pictureTool = PictureTool(folder: folder, tool: settings.pictureTool)
        photoCopies = PhotoCopies(folder: folder, tool: pictureTool)
        uploads = Uploads(files: folder, now: now)
        editor = Editor(store: store, present: present, photos: photos)
        // Those that have photos, and these.
        let kinds: [any SubjectKind] = [SightSubject(), PersonSubject()]
        subjects = Subjects(kinds + [PhotoSubject(subjects: Subjects(kinds))])
    }
}

/// What whoever runs the daemon has chosen for the people who use it.
public struct CompanionSettings: Hashable, Sendable {
    /// The command that takes a mail on its standard input and sends it, such as `/usr/sbin/sendmail -t`.
    ///
    /// Its words are separated by spaces, and no shell sees them. Nil where mail stays in the outbox, or goes to
    /// ``mailFile``.
    public var mailCommand: String?
    /// The file that mails are appended to instead of being sent; nil for none.
    public var mailFile: String?
    /// Whom mails say they are from.
    public var mailSender = "waymark@localhost"
    /// Where people find help, such as a mail address; told to who cannot sign in.
    public var support: String?
    /// What an invitation leads to.
    public var invitation: String?
    /// How many bytes the photos that a person adds may have.
    public var storage = 2_000_000_000
    /// The command that is given each notification as a line of JSON on its standard input; nil for none.
    public var notificationHook: String?

    /// The command of GraphicsMagick, which makes square pictures.
    public var pictureTool = "gm"

    /// Mail stays in the outbox, and nothing else is chosen.
    public init() {}
}

extension CompanionContext {
    /// Makes what others get of photos of before, where that is not made yet.
    public func makePhotoCopies() async throws { try await photoCopies.makeMissing() }
}

extension Timestamp {
    /// What the system's clock says, to the millisecond.
    public static func now() -> Timestamp {
        Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded()))
    }
}
