#if Companion
import Foundation
import Glibc
import TestSupport
import Testing

/// `waymark demo` and `waymark init`, the first commands of a new user.
@Suite(.slow) struct BeginningTests {
    @Test func theDemoPlaysToItsEnd() async throws {
        let demo = try await Command.run("demo", "--speed", "1000")
        #expect(demo.status == 0, "\(demo.errors)")
        let lines = demo.lines
        #expect(lines.contains { $0.contains("● enter    Vaduz Castle") }, "\(demo.text)")
        // At this speed the van may pass the first location before Ada is on board.
        #expect(
            lines.contains {
                $0.contains("A traveller passed Bob's grandmother in Ruggell of the plan Two days in Liechtenstein.")
            })
        #expect(lines.contains { $0.contains("▼ stop") })
        #expect(lines.last?.hasPrefix("The drive is over.") == true)
        // The demo deletes its folder.
        let socket = try #require(demo.text.firstMatch(of: /WAYMARK_SOCKET=(\S+)\/van.sock/)).1
        #expect(!FileManager.default.fileExists(atPath: String(socket)))
    }

    @Test(.timeLimit(.minutes(3))) func theDemoServesItsPagesUntilInterrupted() async throws {
        let pipe = Pipe()
        let demo = try ChildProcess(
            [Command.executable.path, "demo", "--web", "--speed", "1000"], environment: ChildProcess.environment,
            output: pipe.fileHandleForWriting, errors: .nullDevice)
        try pipe.fileHandleForWriting.close()
        let text = await offThePool {
            var text = ""
            while !text.contains("until you press Ctrl-C") {
                let data = pipe.fileHandleForReading.availableData
                guard !data.isEmpty else { break }
                text += String(decoding: data, as: UTF8.self)
            }
            return text
        }
        let address = try #require(text.firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\//), "\(text)")
        let port = try #require(UInt16(String(address.1)))
        #expect(text.contains("Sign in as ada, bob, cleo or dan with the password \"a quiet road\"."))
        let page = try Self.ask(port, "GET / HTTP/1.1", [])
        #expect(
            page.contains { $0.hasPrefix("<!doctype html") || $0.hasPrefix("<!DOCTYPE html") }, "\(page.prefix(20))")
        func call(_ method: String, _ parameters: String, _ fields: [String] = []) throws -> [String] {
            let body = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(parameters)}"#
            return try Self.ask(port, "POST /rpc HTTP/1.1", ["Content-Type: application/json"] + fields, body)
        }
        let signedIn = try call("people.signIn", #"{"account":"ada","password":"a quiet road"}"#)
        let cookies = signedIn.compactMap { $0.firstMatch(of: /[Cc]ookie: (waymark=[^;]+)/)?.1 }
        let cookie = try #require(cookies.first)
        let plans = try call("plans.list", "{}", ["Cookie: \(cookie)"]).joined()
        let plan = try #require(plans.firstMatch(of: /"plans":\[\{"id":"([^"]+)"/)?.1, "\(plans)")
        let stamps = try call("locations.list", #"{"plan":"\#(plan)"}"#, ["Cookie: \(cookie)"]).joined()
        // Five of the six locations lie on the way.
        #expect(stamps.components(separatedBy: #""passed":"#).count > 4, "\(stamps)")
        let vote = try #require(text.firstMatch(of: /Cleo's vote (\d{7}) is open: its passcode is (\d+)\./), "\(text)")
        let choices = try call(
            "votes.get", #"{"vote":"\#(vote.1)","passcode":"\#(vote.2)"}"#, ["Cookie: \(cookie)"]
        ).joined()
        #expect(choices.contains("Barley soup in the square"), "\(choices)")
        for sight in ["gutenberg-castle", "kunstmuseum", "vaduz-castle", "malbun"] {
            let photos = try call("photos.list", #"{"subject":"sight/\#(sight)"}"#, ["Cookie: \(cookie)"]).joined()
            #expect(photos.contains(#""width":400,"height":300"#), "\(photos)")
        }
        let maps = try call("maps.list", "{}", ["Cookie: \(cookie)"]).joined()
        #expect(maps.contains(#""name":"liechtenstein""#) && maps.contains("OpenStreetMap"), "\(maps)")
        let places = try call("places.search", #"{"text":"malb","lat":47.1,"lon":9.6}"#, ["Cookie: \(cookie)"]).joined()
        #expect(places.contains("Malbun"), "\(places)")
        let trips = try call("trips.list", "{}", ["Cookie: \(cookie)"]).joined()
        #expect(trips.components(separatedBy: #""id":"#).count > 10, "\(trips)")
        demo.send(SIGINT)
        #expect(await offThePool { demo.wait() } == .exit(0))
    }

    /// Returns the lines of the answer to an HTTP request; the last one is its body.
    private static func ask(_ port: UInt16, _ first: String, _ fields: [String], _ body: String = "") throws -> [String]
    {
        let stream = try LineStream(tcpPort: port)
        let head =
            [
                first, "Host: 127.0.0.1:\(port)", "Origin: http://127.0.0.1:\(port)", "Connection: close",
                "Content-Length: \(body.utf8.count)",
            ] + fields
        try stream.send(Array((head + ["", body]).joined(separator: "\r\n").utf8))
        return stream.rest().components(separatedBy: "\r\n")
    }

    @Test func initWritesAValidConfigurationOnce() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("etc/waymark.yaml")
        let unasked = try await Command.run("init", "--config", file)
        #expect(unasked.status == 64 && unasked.errors == "Nothing changed: add --yes to confirm.\n")
        let made = try await Command.run("init", "--config", file, "--yes")
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.lines.contains("wrote  \(file)"))
        #expect(made.text.contains("waymark daemon --config \(file)"))
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("\nsources: ["))
        let check = try await Command.run("daemon", "--check", "--config", file)
        #expect(check.status == 0, "\(check.errors)")
        let again = try await Command.run("init", "--config", file, "--yes")
        #expect(again.lines.contains("\(file) already exists, and is not changed."))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
    }

    @Test func initReportsAPathThatCannotBeWritten() async throws {
        let folder = try TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: folder.file("etc")))
        let refused = try await Command.run("init", "--config", folder.file("etc/waymark.yaml"), "--yes")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("it cannot be written"), "\(refused.errors)")
    }
}
#endif
