#if Companion
import Foundation
import TestSupport
import Testing

@testable import Daemon

/// The sample configuration that is installed with the unit: it has all keys, and all but the sources are commented
/// out.
@Suite struct SampleConfigurationTests {
    private static let path = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "systemd/waymark.yaml").path

    /// Returns the line without its `#` if the rest is a key; other comments stay unchanged.
    private static func uncommented(_ line: Substring) -> Substring {
        line.wholeMatch(of: /#((  )?[a-z-]+:( \S.*)?)/)?.1 ?? line
    }

    @Test func theInstalledSampleNamesAReceiverAndLeavesTheDefaults() throws {
        let setting = try ConfigurationSetting()
        let sample = try String(contentsOfFile: Self.path, encoding: .utf8)
        var configuration = try setting.load(sample).configuration
        #expect(configuration.sources.map(\.name) == ["gps0"])
        configuration.sources = []
        #expect(try configuration == setting.load().configuration)
    }

    @Test func theUncommentedSampleSetsEveryKey() throws {
        let setting = try ConfigurationSetting()
        let sample = try String(contentsOfFile: Self.path, encoding: .utf8)
        let lines = sample.split(separator: "\n", omittingEmptySubsequences: false)
        let text = lines.map(Self.uncommented).joined(separator: "\n")
        // The broker is known by its authority or by its fingerprint, and not by both.
        for setting in try setting.load(text).settings where setting.key != "mqtt.fingerprint" {
            #expect(setting.origin.contains("w.yaml:"), "\(setting.key) is missing from the sample")
            #expect(!setting.values.isEmpty, "\(setting.key) has no example")
        }
    }
}
#endif
