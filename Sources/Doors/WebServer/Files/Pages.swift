import Crypto
import Foundation
import HTTPTypes
import Service

/// The pages, and the JavaScript libraries of Debian that they use.
///
/// The paths of most files contain a version that changes with their content.
struct Pages: Sendable {
    /// The version of all pages together: 16 hexadecimal digits.
    let version: String
    private let files: [String: ServedFile]
    private let index: ServedFile
    /// The addresses of the pages; `nil` if the folder has none of Waymark's own pages, so that any may be meant.
    private let routes: [PageRoute]?
    /// The libraries, which are read on first request so that opening the server does not wait for them.
    private let libraries = OnFirstUse { Pages.readLibraries() }

    /// The libraries that the pages use, by the names of their folders in Debian, below ``scriptFolder``.
    static let scriptNames = ["leaflet", "leaflet-markercluster", "leaflet.markercluster", "chart.js"]
    /// The folder in which Debian installs JavaScript libraries.
    static let scriptFolder = "/usr/share/javascript"
    /// The placeholder for the version in pages and scripts.
    private static let mark = "@VERSION@"
    private static let indexName = "index.html"
    /// The script that has the addresses of the pages.
    private static let routerName = "app.js"
    /// The files that are served from the root, where browsers expect them.
    private static let rootNames = ["manifest.webmanifest", "service-worker.js", "favicon.svg", "world.json"]

    /// Reads the pages in a folder.
    ///
    /// - Throws: `InMemoryFolder.Failure` if they are missing or cannot be read.
    init(_ folder: String) throws {
        let files = try InMemoryFolder(folder).files
        guard let index = files[Self.indexName] else {
            throw InMemoryFolder.Failure(description: "\(folder) has no \(Self.indexName)")
        }
        var hash = SHA256()
        for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
            hash.update(data: Array(name.utf8) + [0])
            hash.update(data: bytes)
            hash.update(data: [0])
        }
        let version = String(hash.finalize().hexadecimal.prefix(16))
        self.version = version
        func served(_ bytes: [UInt8], _ name: String) -> ServedFile {
            let holdsMark = ["html", "js"].contains(name.split(separator: ".").last ?? "")
            guard holdsMark else { return ServedFile(bytes, named: name) }
            let text = String(decoding: bytes, as: UTF8.self).replacing(Self.mark, with: version)
            return ServedFile(Array(text.utf8), named: name)
        }
        self.index = served(index, Self.indexName)
        var own: [String: ServedFile] = [:]
        for (name, bytes) in files { own[name] = served(bytes, name) }
        self.files = own
        routes = files[Self.routerName].map { PageRoute.all(in: String(decoding: $0, as: UTF8.self)) }
    }

    private static func readLibraries() -> [String: ServedFile] {
        var libraries: [String: ServedFile] = [:]
        for name in scriptNames {
            guard let found = try? InMemoryFolder("\(scriptFolder)/\(name)").files else { continue }
            for (path, bytes) in found where !path.hasSuffix(".map") {
                libraries["\(name)/\(path)"] = ServedFile(bytes, named: path)
            }
        }
        return libraries
    }

    /// Returns the answer for a path; `nil` if no page has it, or if it should be prompt and cannot.
    func answer(_ path: RequestPath, to wish: ServedFile.Wish) -> ServedFile.Answer? {
        let parts = path.parts
        switch parts.first {
        case nil: return index.answer(to: wish, .asking)
        case "assets":
            guard parts.count > 2 else { return nil }
            // A page of another version asks for files that no longer exist.
            guard parts[1] == version else { return nil }
            return files[parts.dropFirst(2).joined(separator: "/")]?.answer(to: wish, .immutable)
        case "lib":
            let libraries = wish.isPrompt ? libraries.made : libraries.value
            return libraries?[parts.dropFirst().joined(separator: "/")]?.answer(to: wish, .asking)
        case let name?:
            if parts.count == 1, Self.rootNames.contains(name) { return files[name]?.answer(to: wish, .asking) }
            // The id of a trip has a dot, as the name of a file does.
            if let routes, routes.contains(where: { $0.matches(parts) }) { return index.answer(to: wish, .asking) }
            guard let last = parts.last, !last.contains(".") else { return nil }
            guard routes != nil else { return index.answer(to: wish, .asking) }
            // A person is shown that there is no such page; a program that sends its data here learns it too.
            var wish = wish
            wish.ifNoneMatch = nil
            var answer = index.answer(to: wish, .asking)
            answer?.status = .notFound
            answer?.fields[.eTag] = nil
            answer?.fields[.cacheControl] = "no-store"
            return answer
        }
    }

    /// Returns the folders to search for pages, in order of preference.
    static func folders(configured: String?) -> [String] {
        if let configured { return [configured] }
        let executable = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let folder = executable.split(separator: "/").dropLast().joined(separator: "/")
        return ["/\(folder)/waymark_WebServer.resources/Pages", "/usr/share/waymark/pages"]
    }
}
