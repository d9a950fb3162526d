#if Companion
import Foundation

/// The street map of the demonstration, which the package and the repository have beside the executable.
struct DemoMap {
    /// The name of the map.
    static let name = "liechtenstein"

    /// The path of its tiles.
    let tiles: String
    /// The path of its names, as lines of `maps.addNames`.
    private let names: String

    /// Finds the map; `nil` if it is not there.
    ///
    /// - Parameter executable: The running executable, which may lie in a build folder of the repository.
    init?(executable: URL) {
        var folders: [String] = []
        var folder = executable.deletingLastPathComponent()
        for _ in 0..<5 where folder.path != "/" {
            folders.append(folder.appending(path: "fixtures/liechtenstein").path)
            folder = folder.deletingLastPathComponent()
        }
        folders.append("/usr/share/waymark/demo")
        let found = folders.first { FileManager.default.isReadableFile(atPath: "\($0)/\(Self.name).mbtiles") }
        guard let found else { return nil }
        tiles = "\(found)/\(Self.name).mbtiles"
        names = "\(found)/\(Self.name).names.tsv"
    }

    /// Returns the names, or `nil` if the map has none.
    func readNames() throws -> String? {
        guard FileManager.default.isReadableFile(atPath: names) else { return nil }
        return try String(contentsOfFile: names, encoding: .utf8)
    }
}
#endif
