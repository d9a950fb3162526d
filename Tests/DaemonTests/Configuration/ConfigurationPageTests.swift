#if Companion
import Foundation
import TestSupport
import Testing

@testable import Daemon

/// The guide page *Configuration* against the declaration of the keys; `WAYMARK_RECORD=1` rewrites what comes from it.
@Suite struct ConfigurationPageTests {
    private static let page = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/Program/Daemon/Daemon.docc/Configuration.md")

    @Test func thePageHasEveryKeyOnceAndSaysWhatTheProgramSays() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let expected = try Self.filled(text)
        if ProcessInfo.processInfo.environment["WAYMARK_RECORD"] != nil {
            try Data(expected.utf8).write(to: Self.page)
        }
        #expect(
            try String(contentsOf: Self.page, encoding: .utf8) == expected,
            "The keys have changed: WAYMARK_RECORD=1 swift test --filter ConfigurationPageTests")
        let keys = expected.matches(of: /\n### (\S+)\n\n[^-\n]/).map { String($0.1) }
        #expect(keys == ConfigurationKey.allCases.map(\.rawValue))
    }

    @Test func theExamplesAreAcceptedAndChangeTheirSetting() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        for key in ConfigurationKey.allCases {
            let example = try #require(Self.example(of: key, in: text), "\(key.rawValue)")
            #expect(try Self.changed(key, to: example) != Self.changed(nil, to: ""), "\(key.rawValue): \(example)")
        }
    }

    /// Returns the page with the lines that come from the program.
    private static func filled(_ text: String) throws -> String {
        var key: ConfigurationKey?
        return try text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            if let heading = line.wholeMatch(of: /### (\S+)/) {
                let found = try #require(ConfigurationKey(rawValue: String(heading.1)), "there is no key \(heading.1)")
                key = found
            }
            guard let key else { return String(line) }
            switch line.prefix(while: { $0 != ":" }) {
            case "- Value": return "- Value: \(key.form.allowed)"
            case "- Default":
                return switch key.defaultText {
                case nil: "- Default: see above"
                case "": "- Default: none"
                case let value?: "- Default: `\(value)`"
                }
            case "- Variable": return "- Variable: `\(key.environmentVariable)`"
            case "- After a change":
                let example = try #require(Self.example(of: key, in: text), "\(key.rawValue)")
                let waiting = try changed(key, to: example).takenOver(from: changed(nil, to: "")).waiting
                return "- After a change: \(waiting.contains(key.rawValue) ? "restart" : "reload")"
            default: return String(line)
            }
        }.joined(separator: "\n")
    }

    private static func example(of key: ConfigurationKey, in text: String) -> String? {
        text.split(separator: "\n### ").first { $0.hasPrefix("\(key.rawValue)\n") }?
            .firstMatch(of: /\n- Example: `(.+)`/).map { String($0.1) }
    }

    /// Returns the configuration with one setting, and with doors for browsers, to a centre and to a broker, so that their
    /// keys have an effect.
    ///
    /// The certificate and the key are there because one is refused without the other.
    private static func changed(_ key: ConfigurationKey?, to example: String) throws -> DaemonConfiguration {
        var setting = try ConfigurationSetting()
        for (key, value) in [
            (ConfigurationKey.webListen, "127.0.0.1:8471"), (.webCertificate, "/door.pem"), (.webKey, "/door.key"),
            (.uplinkURL, "https://other.example.org"), (.mqttURL, "mqtts://localhost"), (.mqttUser, "gps"),
        ] { setting.context.environment[key.environmentVariable] = value }
        // A centre is reached in one way.
        if key == .uplinkMQTT { setting.context.environment[ConfigurationKey.uplinkURL.environmentVariable] = nil }
        if let key { setting.context.environment[key.environmentVariable] = example }
        return try setting.load().configuration
    }
}
#endif
