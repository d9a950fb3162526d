public import Positioning

/// A ZIP archive, such as KMZ or an export of a service, from which files are read in pieces.
///
/// It reads the directory at the end of the archive, stored and deflated files, and the extensions for long archives
/// (ZIP64). It writes nothing, and the names of files have no meaning as paths. An encrypted file and one of another
/// method is listed with an ``Entry/obstacle``.
///
/// The bounds: ``maximumEntries``, ``maximumDirectoryLength``, files that do not overlap, and at most 200 decompressed
/// bytes for each compressed one beyond 32 MiB, in a file and in the archive.
///
/// - SeeAlso: PKWARE, *.ZIP File Format Specification*, version 6.3.10.
public struct ZIPArchive {
    /// Reads a number of bytes of the archive at an offset, all of which it has.
    public typealias ByteSource = (_ offset: Int64, _ count: Int) throws(RecordingError) -> [UInt8]

    /// A file or folder of an archive.
    public struct Entry: Hashable, Sendable {
        /// The name with its folders, as the archive has it; it may be any text.
        public let name: String
        /// The number of decompressed bytes.
        public let length: Int64
        /// The number of compressed bytes.
        public let compressedLength: Int64
        /// Why the file cannot be read, as a clause; `nil` if it can.
        public let obstacle: String?

        let checksum: UInt32
        let isDeflated: Bool
        let offset: Int64

        /// Whether it is a folder.
        public var isFolder: Bool { name.hasSuffix("/") }
    }

    /// The most files of an archive.
    ///
    /// A part of a service's export of 50 GB has some ten thousand photographs. A file takes up to 200 bytes of memory.
    public static let maximumEntries = 200_000
    /// The most bytes of an archive's directory, which has about 100 bytes for a file.
    public static let maximumDirectoryLength: Int64 = 32 << 20

    /// The files in the order of the directory.
    public let entries: [Entry]

    private let source: ZIPSource

    /// Reads the directory of an archive.
    ///
    /// - Parameters:
    ///   - length: The number of bytes of the archive.
    ///   - read: Reads bytes of the archive.
    /// - Throws: `RecordingError` if the archive has no directory, is damaged, exceeds a bound or is a part of several,
    ///   and what `read` throws.
    public init(length: Int64, read: @escaping ByteSource) throws(RecordingError) {
        source = ZIPSource(length: length, read: read)
        entries = try ZIPDirectory(source).entries(in: source)
    }

    /// Reads the directory of an archive that is in memory; see ``init(length:read:)``.
    public init(_ bytes: [UInt8]) throws(RecordingError) {
        try self.init(length: Int64(bytes.count)) { offset, count in
            // The caller asks only for bytes that the archive has.
            Array(bytes.dropFirst(Int(clamping: offset)).prefix(count))
        }
    }

    /// Returns whether a file that begins with some bytes is a ZIP archive.
    public static func isZIP(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0x50, 0x4B, 3, 4]) || bytes.starts(with: [0x50, 0x4B, 5, 6])
    }

    /// Returns a reader at the beginning of a file.
    ///
    /// - Throws: `RecordingError` if it has an ``Entry/obstacle`` or is damaged.
    public func reader(of entry: Entry) throws(RecordingError) -> ZIPEntryReader {
        try ZIPEntryReader(entry, in: source)
    }
}
