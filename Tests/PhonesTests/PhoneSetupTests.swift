import Phones
import RPC
import Testing

@Suite struct PhoneSetupTests {
    private static func setup(_ device: String, server: String = "https://van.example") throws -> PhoneSetup {
        PhoneSetup(device: device, secret: try #require(PhoneSecret(Sample.secret)), server: server)
    }

    @Test(arguments: ["https://van.example", "https://van.example/", "https://van.example//"])
    func addressesLieBelowTheServer(server: String) throws {
        let setup = try Self.setup("rosa", server: server)
        #expect(setup.owntracks == "https://van.example/in/")
        #expect(setup.overland == "https://van.example/in/")
        #expect(setup.traccar == "https://van.example/in/")
        #expect(setup.osmand == "https://van.example/in/?id=\(Sample.secret)")
        #expect(setup.gpslogger == "https://van.example/in/\(Sample.secret)?%ALL")
        #expect(setup.osmandApp.hasPrefix(setup.osmand + "&app=osmand&lat={0}"))
    }

    @Test(arguments: [
        ("rosa", "rosa"), ("Rosa's phone", "Rosa's phone"), ("Ñandú 🚐", "Ñandú 🚐"), ("a\"b\\c>?~", "a\"b\\c>?~"),
        ("", "waymark"), ("x", "x"), ("a:b/c+d#e", "a-b-c-d-e"),
        (String(repeating: "a", count: 256), String(repeating: "a", count: 48)),
        (String(repeating: "🚐", count: 64), "🚐🚐🚐🚐"), ("e" + String(repeating: "\u{301}", count: 127), "waymark"),
    ]) func linkConfiguresOwnTracks(device: String, name: String) throws {
        let link = try Self.setup(device).config
        let prefix = "owntracks:///config?inline="
        #expect(link.hasPrefix(prefix))
        let inline = link.dropFirst(prefix.count)
        #expect(inline.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) })
        let bytes = Self.decoded(String(inline))
        let configuration = try JSONValue(parsing: bytes.span)
        #expect(configuration["_type"] == "configuration")
        #expect(configuration["mode"] == 3)
        #expect(configuration["url"] == "https://van.example/in/")
        #expect(configuration["password"] == .string(Sample.secret))
        #expect(configuration["username"] == .string(name))
        #expect(configuration["deviceId"] == .string(name))
        #expect(configuration["tid"] == .string(String(name.prefix(2))))
        #expect(QRCode(link) != nil)
    }

    /// Decodes Base64 without padding, bit by bit.
    private static func decoded(_ text: String) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        let bits = text.flatMap { character -> [Bool] in
            let value = alphabet.firstIndex(of: character) ?? 0
            return (0..<6).map { value >> (5 - $0) & 1 == 1 }
        }
        return stride(from: 0, to: bits.count - 7, by: 8).map { start in
            bits[start..<start + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        }
    }
}
