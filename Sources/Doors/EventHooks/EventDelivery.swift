import Crypto
import Foundation
import Service
import WebClient

/// The way of an event from a hook to its receiver.
package struct EventDelivery: Sendable {
    private let command: Command?
    private let client: WebClient?
    private let key: EventHookSettings.Key?
    private let longestRun: Int

    /// The longest time for one event, in seconds.
    package static let longestRun = 30

    init(_ settings: EventHookSettings, longestRun: Int) {
        switch settings.destination {
        case .command(let text): (command, client) = (Command(text), nil)
        case .url(let url): (command, client) = (nil, WebClient(url))
        }
        key = settings.key
        self.longestRun = longestRun
    }

    /// Passes on an event once.
    ///
    /// - Returns: Why that failed, as a clause; `nil` if the receiver has taken the event.
    func send(_ line: [UInt8], log: String, seq: Int64) async -> String? {
        let signature: String?
        do throws(WebFailure) {
            signature = try Self.signature(of: line, by: key)
        } catch {
            return "\(error)"
        }
        if let command {
            var variables = ["WAYMARK_EVENT_LOG": log, "WAYMARK_EVENT_SEQ": "\(seq)"]
            variables["WAYMARK_EVENT_SIGNATURE"] = signature
            do throws(Command.Failure) {
                try await command.adding(variables).run(given: line + [UInt8(ascii: "\n")], within: longestRun)
                return nil
            } catch {
                return "\(error)"
            }
        }
        guard let client else { return "has no destination" }
        var headers = ["Waymark-Log": log, "Waymark-Seq": "\(seq)", "User-Agent": "waymark"]
        headers["Waymark-Signature"] = signature
        do throws(WebFailure) {
            let reply = try await client.post(line, headers: headers, within: .seconds(longestRun))
            // Events are rare, and servers end idle connections.
            await client.end()
            return reply.isSuccess ? nil : "has answered \(reply.status)"
        } catch {
            return "\(error)"
        }
    }

    /// Returns the signature of an event: `sha256=` and the HMAC-SHA256 (RFC 2104) of its bytes in hexadecimal digits.
    ///
    /// - Throws: ``WebFailure`` if the key cannot be read.
    static func signature(of line: [UInt8], by key: EventHookSettings.Key?) throws(WebFailure) -> String? {
        let secret: [UInt8]
        switch key {
        case nil: return nil
        case .text(let text): secret = Array(text.utf8)
        case .file(let file): secret = try file.read()
        }
        let code = HMAC<SHA256>.authenticationCode(for: line, using: SymmetricKey(data: secret))
        let digits = Array("0123456789abcdef".utf8)
        let text = code.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return "sha256=" + String(decoding: text, as: UTF8.self)
    }
}
