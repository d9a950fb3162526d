import Foundation
import Glibc
import NIOPosix
import Store
import Synchronization

/// The folder of maps beside the store: files of tiles, each with the name of its map.
///
/// The folder is read again whenever the list of maps is asked for, so that a running daemon knows a file that a command
/// has just added or removed. A file is opened again only if its size or the time of its last change differs.
public final class MapFolder: Sendable {
    /// The error that a file cannot become a map, or that the folder cannot be changed.
    public struct Failure: Error, Hashable, CustomStringConvertible {
        /// The path of the file or folder.
        public let file: String
        /// The reason, as a clause.
        public let reason: String

        /// Creates a failure.
        public init(file: String, reason: String) { (self.file, self.reason) = (file, reason) }

        /// The file and the reason.
        public var description: String { "\(file): \(reason)" }
    }

    /// A map of the folder.
    public struct Map: Hashable, Sendable {
        /// The name, which is that of the file without its ending.
        public var name: String
        /// The path of the file.
        public var file: String
        /// The size of the file in bytes.
        public var size: Int64
        /// Whether it has vector tiles, which the browser draws; `false` for pictures, and if it cannot be used.
        public var isVector = false
        /// The zoom levels; `nil` if it cannot be used.
        public var zooms: ClosedRange<Int>?
        /// The area with tiles, as west, south, east and north in degrees; `nil` if it is not known.
        public var bounds: [Double]?
        /// The attribution; `nil` if it names none.
        public var attribution: String?
        /// The reason why the map is not drawn, as a clause; `nil` if it is.
        public var problem: String?
    }

    /// A map with its open file.
    struct Held: Sendable {
        var map: Map
        /// The open file; `nil` if it cannot be used.
        var open: OpenMap?
        /// The version of the file that was opened.
        var tag: String
    }

    /// The path of the folder, which may not exist.
    public let path: String
    private let held = Mutex<[Held]?>(nil)

    /// The most maps; each keeps a file open, and its directory in memory.
    public static let most = 64
    /// The longest name, so that a file name with its ending and a draft's fit in what every file system allows.
    public static let longestName = 64

    /// Creates the access to a folder.
    public init(_ path: String) { self.path = path }

    /// Creates the access to the folder of a store.
    public convenience init(ofStore store: String) { self.init(store + ".maps") }

    /// Returns whether a text can be the name of a map: letters and digits of ASCII, and hyphens and underscores that
    /// are not first.
    public static func isName(_ text: String) -> Bool {
        (1...longestName).contains(text.utf8.count)
            && text.utf8.enumerated().allSatisfy { index, byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                case UInt8(ascii: "-"), UInt8(ascii: "_"): index > 0
                default: false
                }
            }
    }

    /// Returns the maps, sorted by name, after reading the folder.
    public func maps() async -> [Map] { await refreshed().map(\.map) }

    /// Reads the folder on a thread that may block on the disk.
    func refreshed() async -> [Held] {
        (try? await NIOThreadPool.singleton.runIfActive { self.refresh() }) ?? held.withLock { $0 } ?? []
    }

    /// Returns the maps as they were when the folder was read last.
    func known() async -> [Held] {
        if let known = held.withLock({ $0 }) { return known }
        return await refreshed()
    }

    private func refresh() -> [Held] {
        let known = held.withLock { $0 } ?? []
        var maps: [Held] = []
        for (name, file) in files() {
            let map = Map(name: name, file: file, size: 0)
            do {
                let status = try FileCalls().status(file, links: .followed)
                let tag = OpenMap.tag(of: status)
                if let same = known.first(where: { $0.map.file == file && $0.tag == tag }) {
                    maps.append(same)
                } else {
                    maps.append(Self.opened(map, size: status.size, tag))
                }
            } catch {
                // It was removed meanwhile, or is a link to nothing.
                maps.append(Self.refused(map, "\(error)", tag: ""))
            }
        }
        held.withLock { [maps] in $0 = maps }
        return maps
    }

    private static func opened(_ map: Map, size: Int, _ tag: String) -> Held {
        var map = map
        map.size = Int64(clamping: size)
        do {
            let open = try OpenMap(map.file)
            map.isVector = open.source.type == TileMetadata.vectorType
            map.zooms = open.source.zooms
            map.bounds = open.source.metadata.bounds
            map.attribution = open.source.metadata.attribution
            return Held(map: map, open: open, tag: tag)
        } catch {
            return refused(map, "\(error)", tag: tag)
        }
    }

    private static func refused(_ map: Map, _ reason: String, tag: String) -> Held {
        var map = map
        map.problem = reason
        return Held(map: map, open: nil, tag: tag)
    }

    /// Returns the names and paths of the maps' files; of two files with the same name, the first.
    private func files() -> [(name: String, file: String)] {
        let entries = ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
        var files: [(name: String, file: String)] = []
        for entry in entries where files.count < Self.most {
            for format in OpenMap.Format.allCases where entry.hasSuffix(".\(format.rawValue)") {
                let name = String(entry.dropLast(format.rawValue.count + 1))
                guard Self.isName(name), !files.contains(where: { $0.name == name }) else { continue }
                files.append((name, "\(path)/\(entry)"))
            }
        }
        return files
    }

    // MARK: Changing

    /// A file that becomes a map once it is complete, and is removed otherwise.
    ///
    /// Its name begins with a dot, so that it is no map yet, and has the number of the process that writes it.
    public final class Draft: Sendable {
        /// The path of the file, which does not exist yet.
        public let path: String

        fileprivate init(in folder: String) { path = "\(folder)/.\(getpid())-\(UUID().uuidString).mbtiles" }

        /// Creates a folder beside the file for what is needed until the file is complete, and returns its path.
        public func makeScratch() throws(Failure) -> String {
            do throws(FileCalls.Failure) {
                try FileCalls().makeFolder(scratch)
            } catch {
                throw Failure(file: scratch, reason: "it cannot be created: \(error)")
            }
            return scratch
        }

        private var scratch: String { path + "-scratch" }

        deinit {
            // SQLite writes the others, and removes them itself if nothing stops it.
            for ending in ["", "-journal", "-wal", "-shm"] { try? FileCalls().remove(path + ending) }
            try? FileManager.default.removeItem(atPath: scratch)
        }
    }

    /// Begins a file in the folder, which is created if it does not exist.
    ///
    /// Drafts of processes that were killed are removed.
    public func draft() throws(Failure) -> Draft {
        do throws(FileCalls.Failure) {
            try FileCalls().makeFolder(path)
        } catch {
            guard error.number == EEXIST else { throw failure(error) }
        }
        for entry in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
            guard entry.hasPrefix("."), let writer = pid_t(entry.dropFirst().prefix { $0 != "-" }), writer > 0,
                kill(writer, 0) != 0, errno == ESRCH
            else { continue }
            try? FileManager.default.removeItem(atPath: "\(path)/\(entry)")
        }
        return Draft(in: path)
    }

    /// Checks a draft, and makes it the map with a name in place of one that has this name already.
    ///
    /// - Parameter name: The name, for which ``isName(_:)`` is true.
    /// - Throws: ``Failure`` if the draft is no file of tiles, or there would be too many maps; the folder stays as it is.
    public func keep(_ draft: Draft, as name: String) throws(Failure) -> Map {
        let format = try Self.format(of: draft.path)
        guard Self.isName(name) else { throw Failure(file: name, reason: "it cannot be the name of a map") }
        let old = files()
        guard old.count < Self.most || old.contains(where: { $0.name == name }) else {
            throw Failure(file: path, reason: "it has \(Self.most) maps already; remove one first")
        }
        let file = "\(path)/\(name).\(format.rawValue)"
        do throws(FileCalls.Failure) {
            try FileCalls().synchronize(try FileCalls().open(draft.path))
            try FileCalls().rename(draft.path, to: file)
            for other in OpenMap.Format.allCases where other != format {
                try? FileCalls().remove("\(path)/\(name).\(other.rawValue)")
            }
            try FileCalls().synchronize(try FileCalls().open(path, links: .followed))
        } catch {
            throw failure(error)
        }
        let map = refresh().first { $0.map.name == name }?.map
        return map ?? Map(name: name, file: file, size: 0, problem: "it was removed meanwhile")
    }

    /// Checks that a file has tiles that can be drawn.
    ///
    /// - Throws: ``Failure`` with the reason why not.
    public static func check(_ file: String) throws(Failure) { _ = try format(of: file) }

    private static func format(of file: String) throws(Failure) -> OpenMap.Format {
        do {
            return try OpenMap(file).format
        } catch {
            throw Failure(file: file, reason: "\(error)")
        }
    }

    /// Removes a map.
    ///
    /// - Returns: `false` if there is none with this name.
    public func remove(_ name: String) throws(Failure) -> Bool {
        var isRemoved = false
        guard Self.isName(name) else { return false }
        for format in OpenMap.Format.allCases {
            do throws(FileCalls.Failure) {
                try FileCalls().remove("\(path)/\(name).\(format.rawValue)")
                isRemoved = true
            } catch {
                guard error.isMissing else { throw failure(error) }
            }
        }
        _ = refresh()
        return isRemoved
    }

    private func failure(_ failure: FileCalls.Failure) -> Failure {
        Failure(file: path, reason: "it cannot be changed: \(failure)")
    }
}
