import Foundation
import Service
public import Sights
public import Store
public import Tracking

/// Functions that open stores with the schema of all features.
public enum Stores {
    private static let migrations = FeatureList.standard.migrations

    /// Opens a store for writing; see ``LocationDatabase/open(at:socket:makesFolder:migrations:)``.
    public static func open(
        at path: String, socket: String? = nil, makesFolder: Bool = false
    ) throws(StoreError) -> LocationDatabase {
        try LocationDatabase.open(at: path, socket: socket, makesFolder: makesFolder, migrations: migrations)
    }

    /// Opens a store for reading, beside a writer or without one.
    public static func openForReading(at path: String) throws(StoreError) -> LocationDatabase {
        try LocationDatabase.openForReading(at: path, migrations: migrations)
    }

    /// Copies the readable rows of a damaged store into a new one; see ``StoreRecovery/run(from:to:migrations:)``.
    public static func recover(_ path: String, to destination: String) throws(StoreError) -> StoreRecovery {
        try StoreRecovery.run(from: path, to: destination, migrations: migrations)
    }

    /// Whether a file is an SQLite database, by its first bytes (sqlite.org/fileformat.html, "Magic Header String").
    ///
    /// Call it before the file is opened as a store, because closing the file here drops this process's locks on it.
    public static func isDatabase(at path: String) -> Bool {
        let type =
            try? FileManager.default.attributesOfItem(
                atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)[.type] as? FileAttributeType
        guard type == .typeRegular, let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        let magic = Data("SQLite format 3\0".utf8)
        return (try? file.read(upToCount: magic.count)) == magic
    }

    /// Creates a temporary store, which is deleted when it is closed.
    public static func temporary() throws(StoreError) -> LocationDatabase {
        try LocationDatabase.temporary(migrations: migrations)
    }
}

extension GeofenceIndex {
    /// Creates an index of all geofences of some features in a store.
    public init(of store: LocationDatabase, features: FeatureList = .standard) throws {
        self = try store.geofences(of: features.geofences)
    }

    /// Creates an index of the geofences of sights that are in no store.
    public init(_ sights: [Sight]) {
        self.init(sights.map { ($0.geofence, revision: 1) })
    }
}
