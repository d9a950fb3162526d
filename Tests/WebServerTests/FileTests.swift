import Callers
import EventStream
import RPC
import Service
import Synchronization
import Testing

@testable import WebServer

/// The files that features serve and receive.
@Suite struct FileTests {
    private static let content = Array("0123456789".utf8)

    /// The received bytes.
    final class Taken: Sendable {
        let bytes = Mutex<[UInt8]>([])
        let isCancelled = Mutex(false)
    }

    private struct Receiver: FileReceiver {
        let taken: Taken

        func write(_ bytes: [UInt8]) async throws {
            guard bytes.first != UInt8(ascii: "!") else { throw Refusal.invalid("size", "is too much") }
            taken.bytes.withLock { $0 += bytes }
        }
        func finish() async throws -> JSONText { JSONText(.object(["photo": "7"])) }
        func cancel() async { taken.isCancelled.withLock { $0 = true } }
    }

    private let taken = Taken()

    private func services() async throws -> WebServer.Services {
        var services = WebServer.Services(
            methods: MethodTable(title: "Test", version: "1"), hub: try await EventHub(journal: NoJournal()),
            sessions: nil)
        var photos = FileRoute("photos")
        photos.find = { request in
            guard request.rest == ["7"] else { throw Refusal.notFound("There is no such photo.") }
            // Files are served in pieces, here two.
            return Download(
                type: "image/png", .bytes(10) { Array(Self.content[$0..<($0 < 5 ? 5 : 10)]) }, tag: "abc")
        }
        photos.receive = { [taken] request in
            guard request.parameters["subject"] != nil else { throw Refusal.invalid("subject", "is missing") }
            return Receiver(taken: taken)
        }
        var export = FileRoute("export", "trips")
        export.find = { request in
            let rest = Mutex(["one,", "two", "\n"])
            return Download(
                type: "text/csv", .pieces { rest.withLock { $0.isEmpty ? nil : Array($0.removeFirst().utf8) } },
                name: "trip-van@2026\"\r\nX: y.csv")
        }
        services.files = [photos, export]
        services.metrics = { "waymark_events_told 3\n" }
        return services
    }

    @Test func aFileIsServedWholeOrInRanges() async throws {
        try await RunningDoor.run(services: try await services()) { door in
            let whole = try await door.ask("GET /photos/7")
            #expect(whole.body == Self.content)
            #expect(whole.fields["content-type"] == "image/png")
            #expect(whole.fields["etag"] == "\"abc\"")
            #expect(whole.fields["cache-control"] == "private, max-age=31536000, immutable")
            let part = try await door.ask("GET /photos/7", ["Range: bytes=3-6"])
            #expect(part.status == 206)
            #expect(part.text == "3456")
            #expect(part.fields["content-range"] == "bytes 3-6/10")
            let beyond = try await door.ask("GET /photos/7", ["Range: bytes=10-"])
            #expect(beyond.status == 416)
            let other = try await door.ask("GET /photos/7", ["Range: bytes=3-6", "If-Range: \"old\""])
            #expect(other.body == Self.content)
            let known = try await door.ask("GET /photos/7", ["If-None-Match: \"abc\""])
            #expect(known.status == 304)
            let none = try await door.ask("GET /photos/8")
            #expect(none.status == 404)
            #expect(none.text == #"{"error":{"code":1,"message":"There is no such photo."}}"#)
            #expect(none.fields["cache-control"] == "no-store")
        }
    }

    @Test func anExportIsStreamedWithASanitizedFileName() async throws {
        try await RunningDoor.run(services: try await services()) { door in
            let export = try await door.ask("GET /export/trips/x.csv")
            #expect(export.text == "one,two\n")
            #expect(export.fields["content-disposition"] == "attachment; filename=\"trip-van_2026__X__y.csv\"")
            #expect(export.fields["cache-control"] == "no-store")
            #expect(export.fields["x"] == nil)
            let metrics = try await door.ask("GET /metrics")
            #expect(metrics.text.hasPrefix("waymark_events_told 3\n"))
        }
    }

    @Test func aCallerWithoutReadRightsGetsNoFile() async throws {
        var services = try await services()
        services.rights = []
        try await RunningDoor.run(services: services) { door in
            for request in ["GET /photos/7", "GET /export/trips/x.csv", "HEAD /photos/7"] {
                let refused = try await door.ask(request)
                #expect(refused.status == 403, "\(request)")
            }
            let refused = try await door.ask(
                "POST /photos?subject=sight/mill", ["Content-Type: image/png"], body: Self.content)
            #expect(refused.status == 403)
            #expect(taken.bytes.withLock { $0.isEmpty })
        }
    }

    @Test func anUploadIsReceivedAsItArrives() async throws {
        try await RunningDoor.run(services: try await services()) { door in
            let path = "POST /photos?subject=sight/mill"
            let added = try await door.ask(path, ["Content-Type: image/png"], body: Self.content)
            #expect(added.status == 200)
            #expect(added.text == "{\"photo\":\"7\"}\n")
            #expect(taken.bytes.withLock { $0 } == Self.content)
            let untyped = try await door.ask(path, ["Content-Type: text/plain"], body: Self.content)
            #expect(untyped.status == 415)
            let foreign = try await door.ask(
                path, ["Content-Type: image/png", "Origin: http://evil.example"], body: Self.content)
            #expect(foreign.status == 403)
            let refused = try await door.ask("POST /photos", ["Content-Type: image/png"], body: Self.content)
            #expect(refused.status == 400)
            #expect(refused.text.contains(#""field":"subject""#))
            #expect(!taken.isCancelled.withLock { $0 })
            let wrong = try await door.ask(path, ["Content-Type: image/png"], body: Array("!".utf8))
            #expect(wrong.status == 400)
            #expect(taken.isCancelled.withLock { $0 })
        }
    }
}
