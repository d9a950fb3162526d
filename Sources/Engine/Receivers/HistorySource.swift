import Foundation
import GPX
public import Histories
import NMEA
public import Positioning

/// The location histories in a file, a folder or a ZIP archive, each of which can be read several times.
///
/// What a file is, its content says. Nothing of an archive is written to the disk, and the names in it only name its
/// files in messages.
public struct HistorySource {
    /// A file that may hold a history.
    public struct Member {
        /// Its path from the folder or the archive, or that of the file itself.
        public let name: String
        fileprivate let place: Place
    }

    /// A file of a folder or an archive that was passed over.
    public struct Skipped: Hashable, Sendable {
        /// Its path from the folder or the archive.
        public let name: String
        /// Why it was passed over, as a clause.
        public let reason: String
        /// Whether it is damaged or cannot be opened, so that something may be missing.
        public let isDamaged: Bool

        /// Creates the account of a file.
        public init(name: String, reason: String, isDamaged: Bool) {
            self.name = name
            self.reason = reason
            self.isDamaged = isDamaged
        }
    }

    /// What was read of a file.
    public struct Reading {
        /// The kind of the history.
        public let format: HistoryFormat?
        /// What stood in it as a point and was none.
        public let dropped: [DroppedPoint: Int]
        /// A damage that did not prevent reading.
        public let damage: RecordingError?
    }

    /// The error of a file that is read.
    public struct Failure: Error {
        /// The reason.
        public let error: RecordingError
        /// Whether the file is sound as far as one can tell, and no history.
        public let holdsNoHistory: Bool
    }

    fileprivate enum Place {
        case file(String)
        case entry(ZIPArchive.Entry, of: ZIPArchive)
    }

    /// The most files of a folder, those of its folders included.
    public static let maximumFiles = 200_000

    /// Whether this is a folder or an archive, rather than one history.
    public let isCollection: Bool
    /// The files in the order of their names.
    public private(set) var members: [Member] = []
    /// The files that cannot be opened.
    public private(set) var skipped: [Skipped] = []

    /// Lists the files.
    ///
    /// - Throws: `RecordingError` if the file cannot be opened, is a damaged archive, or is no regular file.
    public init(path: String) throws(RecordingError) {
        if Self.isFolder(at: path) {
            isCollection = true
            try list(folder: path)
        } else {
            let archive = try Self.archive(at: path)
            isCollection = archive != nil
            if let archive { add(archive, prefix: "") } else { members = [Member(name: path, place: .file(path))] }
        }
    }

    /// Returns whether a path is that of a folder.
    public static func isFolder(at path: String) -> Bool {
        // Only a folder has an entry for itself, and so a link to a folder is one.
        FileManager.default.fileExists(atPath: path + "/.")
    }

    /// Returns what a file is, by its first bytes.
    ///
    /// - Throws: `RecordingError` if it cannot be opened, or is nothing that is known.
    public static func signature(at path: String) throws(RecordingError) -> HistorySignature {
        let file = try FileBytes(path: path)
        guard !file.isLive else { return .nmea }
        var first: [UInt8] = []
        while first.count < HistorySignature.enough, let piece = try file.next() { first += piece }
        return try HistorySignature(first.span)
    }

    /// Reads a file, and passes on its items piece by piece.
    ///
    /// A file may turn out to be damaged after items were passed on.
    ///
    /// - Throws: ``Failure`` if it is damaged or no history, or what `body` throws.
    public func read(
        _ member: Member, _ body: (inout [HistoryItem]) throws(RecordingError) -> Void
    ) throws(Failure) -> Reading {
        var file = HistoryFile(readers: Self.readers)
        do throws(RecordingError) {
            var items: [HistoryItem] = []
            func pass() throws(RecordingError) {
                try body(&items)
                items.removeAll(keepingCapacity: true)
            }
            switch member.place {
            case .file(let path):
                let bytes = try FileBytes(path: path)
                while let piece = try bytes.next() {
                    try file.feed(piece.span, into: &items)
                    try pass()
                }
            case .entry(let entry, let archive):
                var reader = try archive.reader(of: entry)
                while let piece = try reader.next() {
                    try file.feed(piece.span, into: &items)
                    try pass()
                }
            }
            try file.finish(into: &items)
            try pass()
            return Reading(format: file.format, dropped: file.dropped, damage: file.damage)
        } catch {
            throw Failure(error: error, holdsNoHistory: file.holdsNoHistory)
        }
    }

    // MARK: Listing

    private mutating func list(folder: String) throws(RecordingError) {
        var names: [String] = []
        let enumerator = FileManager.default.enumerator(atPath: folder)
        while let name = enumerator?.nextObject() as? String {
            guard names.count < Self.maximumFiles else {
                throw RecordingError(
                    "the folder has more than \(Self.maximumFiles) files; import the folders in it one by one")
            }
            // Hidden files are those of the system, not a person's.
            guard !name.split(separator: "/").contains(where: { $0.hasPrefix(".") }) else { continue }
            names.append(name)
        }
        for name in names.sorted() {
            let path = "\(folder)/\(name)"
            let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
            guard type == .typeRegular else { continue }
            do throws(RecordingError) {
                if let archive = try Self.archive(at: path) {
                    add(archive, prefix: "\(name)/")
                } else {
                    members.append(Member(name: name, place: .file(path)))
                }
            } catch {
                skipped.append(Skipped(name: name, reason: "\(error)", isDamaged: true))
            }
        }
    }

    private mutating func add(_ archive: ZIPArchive, prefix: String) {
        for entry in archive.entries.sorted(by: { $0.name < $1.name }) where !entry.isFolder {
            let name = prefix + entry.name
            if let obstacle = entry.obstacle {
                skipped.append(Skipped(name: name, reason: obstacle, isDamaged: true))
            } else {
                members.append(Member(name: name, place: .entry(entry, of: archive)))
            }
        }
    }

    /// Opens a file that is a ZIP archive; `nil` if it is another file.
    private static func archive(at path: String) throws(RecordingError) -> ZIPArchive? {
        let file: FileHandle
        do {
            file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        } catch {
            throw RecordingError("it cannot be opened: \(error.localizedDescription)")
        }
        func bytes(at offset: Int64, _ count: Int) throws(RecordingError) -> [UInt8] {
            do {
                try file.seek(toOffset: UInt64(clamping: offset))
                let bytes = [UInt8](try file.read(upToCount: count) ?? Data())
                guard bytes.count == count else { throw RecordingError("it became shorter while it was read") }
                return bytes
            } catch let error as RecordingError {
                throw error
            } catch {
                throw RecordingError("it cannot be read: \(error.localizedDescription)")
            }
        }
        guard let length = try? file.seekToEnd() else { return nil }
        guard length >= 4, ZIPArchive.isZIP(try bytes(at: 0, 4)) else { return nil }
        return try ZIPArchive(length: Int64(clamping: length)) { offset, count throws(RecordingError) in
            try bytes(at: offset, count)
        }
    }

    // MARK: Readers

    @Sendable private static func readers(_ signature: HistorySignature) -> (any HistoryDecoder)? {
        signature == .gzip ? GzippedHistory(HistoryFile(readers: uncompressed)) : uncompressed(signature)
    }

    @Sendable private static func uncompressed(_ signature: HistorySignature) -> (any HistoryDecoder)? {
        switch signature {
        case .history(.gpx): RecordedHistory(GPXDecoder())
        case .history(.fit): FITDecoder()
        case .history(.tcx): TCXDecoder()
        case .history(.kml): KMLDecoder()
        case .history(.igc): IGCDecoder()
        case .nmea: RecordedHistory(NMEADecoder(date: nil, awaitsDate: true))
        default: nil
        }
    }
}
