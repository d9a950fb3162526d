#if Companion
import Foundation
import Glibc
import RPC
import TestSupport
import Testing

/// The sample hook that sends notifications to phones, with an HTTP server of the test.
@Suite(.slow) struct PhoneTests {
    private static let hasTools = ["/usr/bin/curl", "/usr/bin/jq"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    @Test(.enabled(if: hasTools, "curl and jq are what the sample needs"))
    func aNotificationReachesThePhoneOfItsRecipient() async throws {
        let phone = try StandIn()
        let folder = try TemporaryFolder()
        let topics = try folder.file(
            "ntfy",
            "# who and where\nada http://127.0.0.1:\(phone.port)/ada-4f9c\nbob http://127.0.0.1:\(phone.port)/bob\n")
        let hook = Command.repository.appending(path: "systemd/examples/ntfy").path
        let daemon = try await RunningDaemon(
            in: folder, configuration: "notifications:\n  hook: \(hook) \(topics)\n")
        try await Town.play(in: Town(daemon)) { town in
            let ada = try town.resident("ada")
            let bob = try town.resident("bob")
            try bob.call("friends.request", ["person": "ada"])
            let first = try phone.request()
            #expect(first.line.hasPrefix("POST /ada-4f9c HTTP/1.1"))
            #expect(first.head.contains("Title: Waymark"))
            #expect(first.body == "bob asks to be your friend.")

            // In quiet hours no notification is announced, so none is sent.
            let hour = Int(Date().timeIntervalSince1970) / 3600
            func clock(_ hour: Int) -> String { "\((hour + 24) % 24 < 10 ? "0" : "")\((hour + 24) % 24):00" }
            let quiet = "\(clock(hour % 24 - 3))-\(clock(hour % 24 + 3))"
            try ada.call("notifications.setRules", ["quiet": .string(quiet), "zone": "UTC"])
            let cai = try town.resident("cai")
            try cai.call("friends.request", ["person": "ada"])
            try ada.call("notifications.setRules", ["quiet": ""])
            let dan = try town.resident("dan")
            try dan.call("friends.request", ["person": "ada"])
            #expect(try phone.request().body == "dan asks to be your friend.")
            #expect(try ada.call("notifications.list")["notifications"]?.elements?.count == 3)
        }
    }
}

/// An HTTP server that accepts every request.
private final class StandIn: Sendable {
    struct Request {
        let line: Substring
        let head: Substring
        let body: String
    }

    private let listener: Descriptor
    var port: UInt16 { listener.port }

    init() throws {
        listener = try Descriptor(AF_INET, SOCK_STREAM)
        try listener.bind(port: 0)
        guard listen(listener.number, 8) == 0 else { throw Descriptor.Failure(call: "listen") }
    }

    /// Waits for the next request and answers it with status 200.
    func request() throws -> Request {
        // The address of the peer is not needed.
        let peer = try Descriptor(owning: accept(listener.number, nil, nil))
        var text = ""
        while true {
            var bytes = [UInt8](repeating: 0, count: 4096)
            // The array is filled during the call.
            let count = unsafe recv(peer.number, &bytes, bytes.count, 0)
            guard count > 0 else { throw Descriptor.Failure(call: "recv") }
            text += String(decoding: bytes[..<count], as: UTF8.self)
            guard let end = text.range(of: "\r\n\r\n") else { continue }
            let head = text[..<end.lowerBound]
            let length = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
                .flatMap { Int($0.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces)) }
            let body = String(text[end.upperBound...])
            guard body.utf8.count >= length ?? 0 else { continue }
            try peer.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8))
            return Request(line: head.prefix { $0 != "\r\n" }, head: head, body: body)
        }
    }
}
#endif
