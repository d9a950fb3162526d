import Schemas
public import Service
public import Store
public import Time

/// The files of photos and uploads that belong to a store.
///
/// A process creates one instance for each store.
public struct Media: Sendable {
    /// The files of photos.
    public let photos: PhotoFiles
    /// The tool that draws thumbnails and copies.
    package let pictureTool: PictureTool
    /// The copies of photos that other people get.
    let photoCopies: PhotoCopies
    /// The uploads in progress, whose bytes arrive in pieces.
    public let uploads: Uploads
    /// The copies of the store that administrators fetch.
    let backups: BackupCopies
    /// The administrator's settings for photos.
    public let settings: MediaSettings

    /// Creates the access to the files beside a store.
    public init(
        of store: LocationDatabase, settings: MediaSettings = MediaSettings(),
        now: @escaping @Sendable () -> Timestamp = { Timestamp.now() }
    ) {
        self.init(of: store, settings: settings, calls: FileCalls(), now: now)
    }

    /// Creates the access to the files beside a store.
    ///
    /// - Parameter calls: The system calls that read and write files.
    package init(
        of store: LocationDatabase, settings: MediaSettings, calls: FileCalls,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.settings = settings
        let folder = StateFolder(of: store, calls: calls)
        photos = PhotoFiles(folder: folder, now: now)
        pictureTool = PictureTool(folder: folder, tool: settings.pictureTool)
        photoCopies = PhotoCopies(folder: folder, tool: pictureTool)
        uploads = Uploads(files: folder, now: now)
        backups = BackupCopies(folder: folder)
    }

    /// Creates the feature of uploads, photos, thumbnails, and backups of the store with its photos.
    ///
    /// - Parameter media: The files beside the store; `nil` before the store is open, when a feature serves no calls.
    public static func feature(_ media: Media?) -> Feature {
        var feature = Feature { context, _ in
            guard let media else { return [] }
            return UploadMethods(context, media).all + PhotoMethods(context, media).all
                + BackupMethods(media.backups).all
        }
        feature.migrations = MediaSchema.migrations
        feature.files = { context in media.map { [PhotoMethods(context, $0).route] } ?? [] }
        feature.subjects = [PhotoSubject()]
        feature.commitHook = media.map { media in
            CommitHook {
                try PhotoFiles.hasLoose(in: $0)
            } run: {
                await media.photos.removeLoose()
            }
        }
        return feature
    }

    /// Makes the missing copies of photos that were added before copies existed.
    public func makePhotoCopies() async throws { try await photoCopies.makeMissing() }
}

/// The administrator's settings for photos.
public struct MediaSettings: Hashable, Sendable {
    /// The maximum total size of the photos that one person adds, in bytes.
    public var storage = 2_000_000_000
    /// The command of GraphicsMagick, which draws thumbnails and copies.
    public var pictureTool = "gm"

    /// Creates the default settings: the command `gm`, and 2 GB for each person.
    public init() {}
}
