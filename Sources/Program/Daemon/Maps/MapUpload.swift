#if Companion
import Callers
import Glibc
import RPC
import Service
import Store
import Synchronization
import TextCoding
import WebServer

/// The upload of a finished map over HTTP: `POST /maps/NAME`, for administrators.
final class MapUpload: FileReceiver {
    private let folder: MapFolder
    private let name: String
    private let draft: MapFolder.Draft
    private let size = Mutex(0)

    /// The longest time for a map: 20 GB through a network of 100 Mbit/s takes half an hour.
    private static let longestTime = Duration.seconds(7_200)

    /// Returns the route to a folder of maps.
    static func route(to folder: MapFolder) -> FileRoute {
        var route = FileRoute("maps")
        route.uploads = .init(
            type: "application/octet-stream", advice: "Send a map as application/octet-stream.", longest: longestTime)
        route.receive = { try MapUpload($0, to: folder) }
        return route
    }

    /// - Throws: `Refusal` if the caller may not add maps, or if it could not be stored.
    private init(_ request: FileRoute.Request, to folder: MapFolder) throws {
        guard request.call.caller.has(.change) else {
            throw Refusal.notAllowed("Only administrators of the machine may add maps.")
        }
        guard request.rest.count == 1, let name = request.rest.first, MapFolder.isName(name) else {
            throw Refusal.invalid(
                "name",
                "must have up to \(MapFolder.longestName) letters, digits, hyphens and underscores, and begin with a letter "
                    + "or digit")
        }
        self.folder = folder
        self.name = name
        do throws(MapFolder.Failure) {
            draft = try folder.draft()
        } catch {
            throw Refusal.unavailable("Maps cannot be stored: \(error)")
        }
        if let length = request.length { try UploadRoom.check(for: length, in: folder.path, of: "map") }
    }

    func write(_ bytes: [UInt8]) async throws {
        let begin = size.withLock { $0 }
        try UploadRoom.check(for: bytes.count, at: begin, in: folder.path, of: "map")
        do throws(FileCalls.Failure) {
            let file = try FileCalls().open(draft.path, flags: O_WRONLY | O_CREAT)
            try FileCalls().write(bytes, to: file, at: begin)
        } catch {
            throw Refusal.unavailable("The map cannot be stored: \(error)")
        }
        size.withLock { $0 = begin + bytes.count }
    }

    func finish() async throws -> JSONText {
        do throws(MapFolder.Failure) {
            return MapMethods.map.text(of: try folder.keep(draft, as: name))
        } catch {
            throw Refusal.invalid("file", "cannot be used as a map: \(error.reason)")
        }
    }

    /// The draft is removed with this object.
    func cancel() async {}
}
#endif
