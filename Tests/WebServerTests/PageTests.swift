import Foundation
import TestSupport
import Testing

@testable import WebServer

/// The pages, and the headers of every answer.
@Suite(.slow) struct PageTests {
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
