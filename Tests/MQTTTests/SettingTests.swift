import Testing

@testable import MQTT

/// Addresses, topics, fingerprints and settings.
@Suite struct SettingTests {
    @Test(arguments: [
        ("mqtt://broker", "mqtt://broker:1883"), ("mqtts://broker.example.org", "mqtts://broker.example.org:8883"),
        ("MQTT://10.0.0.7:18830/", "mqtt://10.0.0.7:18830"), ("mqtt://[fe80::1%eth0]", nil),
        ("mqtt://[fe80::1]:1884", "mqtt://[fe80::1]:1884"), ("mqtts://[::1]", "mqtts://[::1]:8883"),
        ("mqtt://", nil), ("mqtt://:1883", nil), ("mqtt://a:0", nil), ("mqtt://a:65536", nil), ("mqtt://a:", nil),
        ("mqtt://me@a", nil), ("mqtt://a/b", nil), ("http://a", nil), ("a", nil), ("mqtt://[a]", nil),
        ("mqtt://[::1]x", nil), ("mqtt://a b", nil), ("mqtt://a:1:2", nil),
    ])
    func addressesAreRead(_ text: String, _ description: String?) {
        #expect(BrokerAddress(text)?.description == description)
    }

    @Test func fingerprintsAreReadWithColonsAndWithout() {
        let bytes = (0..<32).map { UInt8($0 * 7) }
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        #expect(MQTTSettings.fingerprint(digits.joined()) == bytes)
        #expect(MQTTSettings.fingerprint(digits.joined(separator: ":").uppercased()) == bytes)
        #expect(MQTTSettings.fingerprint(digits.dropLast().joined()) == nil)
        #expect(MQTTSettings.fingerprint(digits.dropLast().joined() + "0g") == nil)
    }

    @Test func settingsThatContradictEachOtherAreRefused() throws {
        func refused(_ url: String, _ change: (inout MQTTSettings) -> Void) throws -> String? {
            var settings = MQTTSettings(broker: try #require(BrokerAddress(url)))
            change(&settings)
            return settings.refusal?.key
        }
        #expect(try refused("mqtt://a") { _ in } == nil)
        #expect(try refused("mqtts://a") { $0.authority = "/ca.pem" } == nil)
        #expect(try refused("mqtt://a") { $0.authority = "/ca.pem" } == "mqtt.ca")
        #expect(try refused("mqtt://a") { $0.fingerprint = [] } == "mqtt.fingerprint")
        #expect(
            try refused("mqtts://a") { ($0.fingerprint, $0.authority) = ([], "/ca.pem") } == "mqtt.fingerprint")
        #expect(try refused("mqtt://a") { $0.passwordFile = "/p" } == "mqtt.password-file")
        for topic in ["", "a/+", "#", "/a", "a/", "$SYS/a", "a b"] {
            #expect(try refused("mqtt://a") { $0.topic = topic } == "mqtt.topic")
        }
    }

    @Test func namesOfDevicesBecomeOneLevelOfATopic() throws {
        let topics = Topics(MQTTSettings(broker: try #require(BrokerAddress("mqtt://a"))), machine: "van 1")
        #expect(topics.base == "waymark/van%201")
        #expect(topics.client == "waymark-van--25201")
        #expect(topics.position(of: "gps0/ttyACM0") == "waymark/van%201/device/gps0%2FttyACM0/position")
        #expect(topics.state(of: "Käthe+#") == "waymark/van%201/device/K%C3%A4the%2B%23/state")
        #expect(topics.identifier(of: "gps0.a") == "waymark_van--25201_gps0--2Ea")
    }
}
