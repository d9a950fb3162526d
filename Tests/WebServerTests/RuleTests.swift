import Callers
import Compression
import Testing

@testable import WebServer

/// The rules by which the door judges requests, without a network.
@Suite struct RuleTests {
    @Test(arguments: [
        ("127.0.0.1", WebAddress.Reach.machine, "127.0.0.1:8470"), ("127.0.0.1:80", .machine, "127.0.0.1:80"),
        ("[::1]:8470", .machine, "[::1]:8470"), ("::1", .machine, "[::1]:8470"),
        ("192.168.4.1", .privateNetworks, "192.168.4.1:8470"), ("10.1.2.3:1", .privateNetworks, "10.1.2.3:1"),
        ("172.16.0.1", .privateNetworks, "172.16.0.1:8470"), ("172.32.0.1", .everybody, "172.32.0.1:8470"),
        ("[fd00::5]", .privateNetworks, "[fd00::5]:8470"), ("fe80::1", .privateNetworks, "[fe80::1]:8470"),
        ("0.0.0.0", .privateNetworks, "0.0.0.0:8470"), ("[::]:443", .privateNetworks, "[::]:443"),
        ("93.184.216.34", .everybody, "93.184.216.34:8470"), ("2001:db8::1", .everybody, "[2001:db8::1]:8470"),
    ])
    func anAddressSaysWhoMayReachIt(_ text: String, _ reach: WebAddress.Reach, _ description: String) {
        #expect(WebAddress(text)?.reach == reach)
        #expect(WebAddress(text)?.description == description)
    }

    @Test(arguments: [
        "", "localhost", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "[::1", "[::1]x", "1.2.3", ":80", "::1\u{0}x",
        "fe80::1%a b",
    ])
    func invalidAddressesAreRefused(_ text: String) { #expect(WebAddress(text) == nil) }

    @Test func onlyPublicAddressesNeedACertificate() throws {
        var settings = WebSettings(listen: try #require(WebAddress("93.184.216.34")))
        #expect(settings.refusal?.contains("web.certificate") == true)
        settings.certificate = "/c.pem"
        #expect(settings.refusal?.contains("belong together") == true)
        settings.key = "/k.pem"
        #expect(settings.refusal == nil)
        let near = WebSettings(listen: try #require(WebAddress("192.168.4.1")))
        #expect(near.refusal == nil)
        #expect(near.warning?.contains("does not use TLS") == true)
        #expect(WebSettings(listen: try #require(WebAddress(WebAddress.defaultAddress))).warning == nil)
    }

    @Test func `each address has a number of its own and shares that of its network`() throws {
        func origin(_ text: String) throws -> Origin { try #require(IPAddress(text)).origin }
        func share(_ one: String, _ other: String) throws -> Bool {
            let (one, other) = (try origin(one), try origin(other))
            #expect(one.host != other.host)
            return one.network == other.network
        }
        #expect(try share("2001:db8::1", "2001:db8::2"))
        #expect(try !share("2001:db8::1", "2001:db8:0:1::1"))
        #expect(try share("192.168.4.1", "192.168.4.2"))
        #expect(try share("192.168.4.1", "10.0.0.1"))
        #expect(try share("93.184.216.34", "93.184.216.200"))
        #expect(try !share("93.184.216.34", "93.184.217.34"))
        #expect(try !share("127.0.0.1", "192.168.4.1"))
        #expect(try !share("127.0.0.1", "127.0.0.2"))
        for text in ["0.0.0.0", "255.255.255.255", "::", "ffff::", "2001:db8::", "10.0.0.1"] {
            let origin = try origin(text)
            #expect(origin.host < -1 && origin.network < -1 && origin.isAddress)
            #expect(origin.key == IPAddress(text)?.key)
        }
    }

    @Test func callersAreCountedByIPv4AddressOrIPv6Network() throws {
        func key(_ text: String) throws -> Int64 { try #require(IPAddress(text)).key }
        let keys = try ["10.0.0.1", "10.0.0.2", "::ffff:10.0.0.1", "2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"].map(
            key)
        #expect(keys[0] != keys[1])
        #expect(keys[0] == keys[2])
        #expect(keys[3] == keys[4])
        #expect(keys[3] != keys[5])
        for text in ["0.0.0.0", "255.255.255.255", "::", "ffff::", "2001:db8::"] {
            let key = try key(text)
            #expect(key < -1)
        }
    }

    private let hosts = HostRule(configured: ["Waymark.Example.org"], machine: "van.lan")

    @Test(arguments: [
        "localhost", "localhost:8470", "LOCALHOST.", "van", "van.lan:80", "van.local", "waymark.example.org",
        "127.0.0.1",
        "[::1]:8470", "192.168.4.1:8470",
    ])
    func namesAndAddressesOfTheMachineAreAllowed(_ host: String) { #expect(hosts.allows(host)) }

    @Test(arguments: [
        nil, "", "evil.example", "localhost.evil.example", "evil.example:8470", "van.lan@evil.example", "localhost:",
        "localhost:80:80", "localhost:123456", "[::1", "[localhost]", "local host", "van\u{0}", "example.org",
    ])
    func otherHostNamesAreRefused(_ host: String?) { #expect(!hosts.allows(host)) }

    @Test(
        arguments: [
            ("http://van:8470", nil, "van:8470", OriginRule.Source.same), ("https://van", nil, "van", .same),
            ("http://van:8470", "same-origin", "VAN:8470", .same), (nil, nil, "van", .unknown),
            (nil, "none", "van", .unknown),
            ("http://van", nil, "van:8470", .foreign), ("http://evil", nil, "van", .foreign),
            ("null", nil, "van", .foreign),
            ("", nil, "van", .foreign), ("file://van", nil, "van", .foreign),
            ("http://van", "cross-site", "van", .foreign),
            (nil, "cross-site", "van", .foreign), ("http://van", "same-site", "van", .foreign),
            ("http://van/", nil, "van", .foreign), ("http://van", nil, nil, .foreign),
        ] as [(String?, String?, String?, OriginRule.Source)])
    func requestsFromOtherOriginsAreForeign(
        _ origin: String?, _ site: String?, _ host: String?, _ source: OriginRule.Source
    ) {
        #expect(OriginRule.source(origin: origin, site: site, host: host) == source)
    }

    @Test(arguments: [
        ("waymark=abc_-9", "abc_-9"), ("a=b; waymark=abc; c=d", "abc"), ("waymark=", nil), ("waymark=a b", nil),
        ("waymark=a; waymark=b", nil), ("xwaymark=a", nil), (nil, nil),
        ("waymark=\(String(repeating: "a", count: 65))", nil),
        ("waymark=\"abc\"", nil), ("WAYMARK=abc", nil),
    ])
    func exactlyOneCookieHoldsTheSession(_ header: String?, _ token: String?) {
        #expect(SessionCookie.token(in: header) == token)
    }

    @Test func theCookieIsHiddenFromScriptsAndOtherSites() {
        let set = SessionCookie.setting("abc", isSecure: false)
        #expect(set.hasPrefix("waymark=abc; Path=/; "))
        for word in ["HttpOnly", "SameSite=Strict"] { #expect(set.contains(word)) }
        #expect(!set.contains("Secure"))
        #expect(SessionCookie.setting("abc", isSecure: true).hasSuffix("; Secure"))
        #expect(SessionCookie.setting(nil, isSecure: false).hasPrefix("waymark=; Path=/; Max-Age=0;"))
    }

    @Test(arguments: [
        ("bytes=0-0", 0..<1), ("bytes=5-", 5..<10), ("bytes=-3", 7..<10), ("bytes=2-99", 2..<10), ("bytes=-99", 0..<10),
    ])
    func isAValidRange(_ header: String, _ range: Range<Int>) { #expect(ByteRange(header, of: 10) == .part(range)) }

    @Test(arguments: [
        nil, "bytes=", "bytes=-", "bytes=5-2", "bytes=0-1,3-4", "items=0-1", "bytes=a-b", "bytes=+1-2",
        "bytes=99999999999999999999-",
    ])
    func invalidByteRangesMeanTheWholeFile(_ header: String?) { #expect(ByteRange(header, of: 10) == .whole) }

    @Test(arguments: ["bytes=10-", "bytes=-0", "bytes=10-20"])
    func rangesBeyondTheFileAreUnsatisfiable(_ header: String) { #expect(ByteRange(header, of: 10) == .unsatisfiable) }

    @Test func aPathIsSplitIntoDecodedParts() throws {
        let path = try #require(RequestPath("/photos/a%20b//c/?subject=sight%2Fx&caption=a+b%26c&flag&=x&e="))
        #expect(path.parts == ["photos", "a b", "c"])
        #expect(path["subject"] == "sight/x")
        #expect(path["caption"] == "a b&c")
        #expect(path["flag"] == "")
        #expect(path["e"] == "")
        #expect(path["other"] == nil)
        #expect(RequestPath("/")?.parts == [])
    }

    @Test(arguments: [
        "", "x", "http://evil/", "*", "/../etc", "/a/%2e%2e/b", "/a/./b", "/a%2fb", "/a%5Cb", "/a%00", "/%", "/%4",
        "/%zz",
        "/%ff", "/a?x=%ff", "/\u{7}", "/" + String(repeating: "a", count: 5000),
    ])
    func trickyPathsAreRefused(_ target: String) { #expect(RequestPath(target) == nil) }

    @Test func compressedBytesExpandToTheSame() throws {
        let bytes = Array(String(repeating: "Waymark tells when a device comes near. ", count: 5_000).utf8)
        let small = try #require(Gzip.compressed(bytes))
        #expect(small.count < bytes.count / 20)
        #expect(try Gzip.expanded(small, atMost: bytes.count) == bytes)
        for (damaged, most) in [
            (small, bytes.count - 1), (Array(small.dropLast(9)), bytes.count), (bytes, bytes.count),
        ] {
            #expect(throws: Gzip.Failure.self) { try Gzip.expanded(damaged, atMost: most) }
        }
    }

    @Test func onlyTheOriginOfATileProviderEntersThePolicy() {
        #expect(
            SecurityHeaders.origin("https://{s}.tile.example:8443/{z}/{x}/{y}.png") == "https://*.tile.example:8443")
        for text in ["/tiles", "javascript:alert(1)", "https://a b/", "https://a;b/", "https://'self'/", "https:///x"] {
            #expect(SecurityHeaders.origin(text) == nil, "\(text)")
        }
    }
}
