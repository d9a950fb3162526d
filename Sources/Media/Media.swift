public import Positioning
public import Service
public import Store

/// The files of photos and uploads of a store; made once for it.
public struct Media: Sendable {
    /// The files of photos.
    public let photos: PhotoFiles
    /// What draws pictures anew.
    package let pictureTool: PictureTool
    /// What others get of photos.
    let photoCopies: PhotoCopies
    /// Files that come piece by piece.
    public let uploads: Uploads
    /// Copies of the store that administrators fetch.
    let backups: BackupCopies
    /// What the administrator has chosen.
    public let settings: MediaSettings

    /// The files beside a store.
    public init(
        of store: LocationDatabase, settings: MediaSettings = MediaSettings(),
        now: @escaping @Sendable () -> Timestamp = { Timestamp.now() }
    ) {
        self.init(of: store, settings: settings, calls: FileCalls(), now: now)
    }

    /// - Parameter calls: how files are read and written.
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

    /// The steps that photos add to the schema of the store.
    public static let migrations = [Photos.migration, StateFolder.migration, PhotoCopies.migration]

    /// Uploads, photos, thumbnails, and copies of the store with its photos.
    public var feature: Feature {
        var feature = Feature { context, _ in
            UploadMethods(context, self).all + PhotoMethods(context, self).all + BackupMethods(backups).all
        }
        feature.migrations = Self.migrations
        feature.files = { [PhotoMethods($0, self).route] }
        feature.subjects = [PhotoSubject()]
        feature.commitHook = CommitHook {
            try PhotoFiles.hasLoose(in: $0)
        } run: { [photos] in
            await photos.removeLoose()
        }
        return feature
    }

    /// Makes what others get of photos of before, where that is not made yet.
    public func makePhotoCopies() async throws { try await photoCopies.makeMissing() }
}

/// What the administrator has chosen for photos.
public struct MediaSettings: Hashable, Sendable {
    /// How many bytes the photos that a person adds may have.
    public var storage = 2_000_000_000
    /// The command of GraphicsMagick, which makes square pictures.
    public var pictureTool = "gm"

    /// GraphicsMagick by its name, and 2 GB a person.
    public init() {}
}
