import Store

/// A file of map tiles that is open for reading.
struct OpenMap: Sendable {
    /// The format, which a file's first bytes tell.
    enum Format: String, CaseIterable, Sendable {
        case pmtiles, mbtiles

        /// Finds the format in the first 16 bytes of a file; `nil` if it is neither.
        init?(_ beginning: [UInt8]) {
            if beginning.starts(with: "PMTiles".utf8) {
                self = .pmtiles
            } else if beginning.starts(with: "SQLite format 3\0".utf8) {
                self = .mbtiles
            } else {
                return nil
            }
        }
    }

    let format: Format
    let source: any TileSource
    /// The identification of this version of the file.
    let tag: String
    /// The size of the file in bytes.
    let size: Int

    /// Opens a file.
    ///
    /// - Throws: ``WebError`` or `FileCalls.Failure`, whose descriptions are clauses about the file.
    init(_ path: String) throws {
        let calls = FileCalls()
        let status = try calls.status(path, links: .followed)
        guard status.isRegular else { throw WebError("it is not a file") }
        let beginning = try calls.read(try calls.open(path, links: .followed), from: 0, count: 16)
        guard let format = Format(beginning) else { throw WebError("it is neither PMTiles nor MBTiles") }
        self.format = format
        source =
            switch format {
            case .pmtiles: try PMTilesFile(path)
            case .mbtiles: try MBTilesFile(path)
            }
        size = status.size
        tag = Self.tag(of: status)
    }

    /// Returns the identification of a version of a file: its size and the time of its last change.
    static func tag(of status: FileCalls.Status) -> String {
        "\(status.size)-\(status.modified.seconds)-\(status.modified.nanoseconds)"
    }
}
