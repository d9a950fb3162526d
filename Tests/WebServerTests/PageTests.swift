import Compression
import EventStream
import Foundation
import RPC
import TestSupport
import Testing

@testable import WebServer

/// The pages, and the headers of every answer.
@Suite(.slow) struct PageTests {
    /// The script that has the addresses of the pages.
    private static let router = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/Doors/WebServer/Pages/app.js").standardizedFileURL

    @Test func theDoorServesItsHealthAndItsPages() async throws {
        try await RunningDoor.run { door in
            let up = try await door.ask("GET /healthz")
            #expect(up.status == 200)
            #expect(up.text == "ok\n")
            let index = try await door.ask("GET /")
            #expect(index.status == 200)
            #expect(index.fields["content-type"] == "text/html; charset=utf-8")
            #expect(index.fields["cache-control"] == "no-cache")
            let version = try #require(index.text.firstMatch(of: /assets\/([0-9a-f]{16})\/main.js/)?.1)
            let script = try await door.ask("GET /assets/\(version)/main.js")
            #expect(script.status == 200)
            #expect(script.fields["cache-control"] == "public, max-age=31536000, immutable")
            #expect(script.fields["content-type"]?.hasPrefix("text/javascript") == true)
            #expect(script.text == RunningDoor.pages["main.js"])
            #expect(try await door.ask("GET /assets/0000000000000000/main.js").status == 404)
            #expect(try await door.ask("GET /assets/\(version)/images/dot.png").fields["content-type"] == "image/png")
            #expect(try await door.ask("GET /service-worker.js").text == "const version = '\(version)'\n")
        }
    }

    @Test(arguments: ["/now", "/sights/mill", "/plans/3", "/s/a_token", "/sign-in"])
    func pathsOfPagesServeTheIndex(_ path: String) async throws {
        try await RunningDoor.run { door in
            let page = try await door.ask("GET \(path)")
            #expect(page.status == 200)
            #expect(page.text.hasPrefix("<!doctype html>"))
        }
    }

    @Test(arguments: ["/main.js", "/index.php", "/assets/main.js", "/lib/none/x.js", "/sights/mill.html"])
    func otherPathsAreNotFound(_ path: String) async throws {
        try await RunningDoor.run { door in
            let answer = try await door.ask("GET \(path)")
            #expect(answer.status == 404)
        }
    }

    @Test(arguments: [
        ("/now", 200), ("/", 200), ("/plans/3/money", 200), ("/s/a_token", 200), ("/gpslogger", 404), ("/log", 404),
        ("/sights/mill/more", 404), ("/s", 404), ("/trips/van@2026-05-01T18:05:00.000Z", 200),
        ("/trips/van%402026-05-01T18:05:00.000Z", 200),
    ])
    func onlyTheAddressesOfTheRouterArePages(_ path: String, _ status: Int) async throws {
        var pages = RunningDoor.pages
        pages["app.js"] = try String(contentsOf: Self.router, encoding: .utf8)
        try await RunningDoor.run(pages: pages) { door in
            let answer = try await door.ask("GET \(path)?lat=1&lon=2")
            #expect(answer.status == status)
            // A person at a wrong address is shown so by the page.
            #expect(answer.text.hasPrefix("<!doctype html>"))
            #expect(try await door.ask("POST \(path)").status == 404)
        }
    }

    @Test func aSickServiceIsNotWellToThoseWhoWatchIt() async throws {
        var services = WebServer.Services(
            methods: MethodTable(title: "Test", version: "1"), hub: try await EventHub(journal: NoJournal()),
            sessions: nil)
        services.health = { WebServer.Health(isWell: false, text: "failure disk: it is full\n  free some space") }
        try await RunningDoor.run(services: services) { door in
            let answer = try await door.ask("GET /healthz")
            #expect(answer.status == 503)
            #expect(answer.text == "failure disk: it is full\n  free some space\n")
        }
    }

    @Test func everyAnswerHasTheSecurityHeaders() async throws {
        try await RunningDoor.run { door in
            for line in ["GET /", "GET /healthz", "GET /none.txt", "POST /", "PUT /", "GET /../x"] {
                let fields = try await door.ask(line).fields
                #expect(fields["content-security-policy"]?.hasPrefix("default-src 'none'; script-src 'self';") == true)
                #expect(fields["x-content-type-options"] == "nosniff", "\(line)")
                #expect(fields["referrer-policy"] == "no-referrer")
                #expect(fields["cross-origin-opener-policy"] == "same-origin")
                #expect(fields["permissions-policy"] == "geolocation=(self)")
            }
        }
    }

    @Test func pagesAreCompressedAndCached() async throws {
        try await RunningDoor.run { door in
            let version = try #require(try await door.ask("GET /").text.firstMatch(of: /assets\/(\w+)/)?.1)
            let plain = try await door.ask("GET /assets/\(version)/main.js")
            let small = try await door.ask("GET /assets/\(version)/main.js", ["Accept-Encoding: br, gzip"])
            #expect(small.fields["content-encoding"] == "gzip")
            #expect(small.fields["vary"] == "Accept-Encoding")
            #expect(try Gzip.expanded(small.body, atMost: 10_000) == plain.body)
            let refused = try await door.ask("GET /assets/\(version)/main.js", ["Accept-Encoding: gzip;q=0"])
            #expect(refused.fields["content-encoding"] == nil)
            let tag = try #require(plain.fields["etag"])
            let known = try await door.ask("GET /assets/\(version)/main.js", ["If-None-Match: W/\(tag)"])
            #expect(known.status == 304)
            #expect(known.body.isEmpty)
        }
    }

    @Test func answersToHEADHaveNoBody() async throws {
        try await RunningDoor.run { door in
            let head = try await door.ask("HEAD /")
            #expect(head.status == 200)
            #expect(head.body.isEmpty)
            #expect(head.fields["content-length"].flatMap { Int($0) } ?? 0 > 0)
        }
    }

    @Test func aMissingFolderOfPagesThrows() throws {
        let folder = "/nonexistent/pages"
        #expect(throws: InMemoryFolder.Failure.self) { try Pages(folder) }
        #expect(Pages.folders(configured: nil).contains("/usr/share/waymark/pages"))
    }

    @Test func aConfiguredFolderMustContainPages() async throws {
        let refusal = await #expect(throws: WebError.self) {
            try await RunningDoor.run(settings: { settings, folder in settings.pages = folder.file("none") }) { _ in }
        }
        #expect(refusal?.description.hasPrefix("web.pages: ") == true)
    }

    @Test func oneConnectionServesManyRequests() async throws {
        try await RunningDoor.run { door in
            let request = "GET /healthz HTTP/1.1\r\nHost: \(door.host)\r\n"
            let last = request + "Connection: close\r\n\r\n"
            let bytes = try await HTTPBytes.exchange(
                Array((request + "\r\n" + request + "\r\n" + last).utf8), port: door.port)
            #expect(String(decoding: bytes, as: UTF8.self).components(separatedBy: "HTTP/1.1 200").count == 4)
        }
    }
}
