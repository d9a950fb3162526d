import Foundation
import TestSupport
import Testing

/// The amount of the pages' own code that a browser loads for its first view.
@Suite struct FirstViewTests {
    private static let pages = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/Doors/WebServer/Pages").standardizedFileURL

    /// Adds a module and the modules that it imports statically to `modules`, with their sizes in bytes.
    private static func add(_ path: String, to modules: inout [String: Int]) throws {
        guard modules[path] == nil else { return }
        let file = pages.appending(path: path)
        let text = try String(contentsOf: file, encoding: .utf8)
        modules[path] = text.utf8.count
        for imported in text.matches(of: /(?:^|\n)(?:import|export)\b[^;'"]*['"](\.[^'"]+)['"]/) {
            let target = file.deletingLastPathComponent().appending(path: imported.1).standardizedFileURL
            try add(String(target.path.dropFirst(pages.path.count + 1)), to: &modules)
        }
    }

    /// Returns the modules that modules import, and their own.
    private static func modules(_ paths: String...) throws -> Set<String> {
        var modules: [String: Int] = [:]
        for path in paths { try add(path, to: &modules) }
        return Set(modules.keys)
    }

    /// A module that is not fetched early comes only after the module that imports it.
    @Test func everyModuleOfTheFirstViewIsFetchedEarly() throws {
        let shell = try Self.modules("app.js")
        let index = try String(contentsOf: Self.pages.appending(path: "index.html"), encoding: .utf8)
        let preloaded = index.matches(of: /rel="modulepreload" href="\/assets\/@VERSION@\/([^"]+)"/).map {
            String($0.1)
        }
        #expect(Set(preloaded) == shell.subtracting(["app.js"]))
        let first = try String(contentsOf: Self.pages.appending(path: "first.js"), encoding: .utf8)
        let list = try #require(first.firstMatch(of: /\[([^\]]+)\]\) fetchEarly/)).1
        let early = list.matches(of: /'([^']+)'/).map { "\($0.1).js" }
        #expect(
            try Set(early)
                == Self.modules("pages/now.js", "map.js", "map/view.js", "map/snapshot.js").subtracting(shell))
    }

    /// The first view is the live map.
    ///
    /// The browser loads the module of another view when somebody opens it.
    @Test func theFirstViewLoadsLessThan150Kilobytes() throws {
        var modules: [String: Int] = [:]
        for path in ["app.js", "pages/now.js", "texts/en.js"] { try Self.add(path, to: &modules) }
        #expect(modules.count > 10, "the imports were not read")
        for path in ["index.html", "first.js", "style.css", "map.css"] {
            modules[path] = try Data(contentsOf: Self.pages.appending(path: path)).count
        }
        let sum = modules.values.reduce(0, +)
        TestTier.report("the first view loads \(sum) bytes in \(modules.count) files")
        #expect(sum < 150_000, "\(modules.sorted { $0.value > $1.value })")
    }
}
