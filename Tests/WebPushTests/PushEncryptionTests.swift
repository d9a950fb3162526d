import Crypto
import FeatureSupport
import Foundation
import Store
import Testing
import WebClient

@testable import WebPush

/// What is sent to browsers, compared with the examples of the standards.
@Suite struct PushEncryptionTests {
    private func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.bytes(text)) }

    @Test func theExampleOfRFC8188IsEncrypted() throws {
        // Section 3.1.
        let salt = try bytes("I1BsxtFttlv3u_Oo94xnmw")
        let content = try EncryptedContent.encrypt(
            Array("I am the walrus".utf8), keying: SymmetricKey(data: bytes("yqdlZ-tYemfogSmv7Ws5PQ")), keyName: [],
            salt: salt)
        #expect(
            Base64URL.text(content) == "I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg")
    }

    @Test func theExampleOfRFC8291IsEncrypted() throws {
        // Appendix A.
        let browser = FakeBrowser(
            try P256.KeyAgreement.PrivateKey(rawRepresentation: bytes("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94")),
            secret: try bytes("BTBZMqHH6r4Tts7J_aSIgg"))
        #expect(
            browser.key
                == "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4")
        let keys = try #require(BrowserKeys(key: bytes(browser.key), secret: browser.secret))
        let sender = try P256.KeyAgreement.PrivateKey(
            rawRepresentation: bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
        let text = "When I grow up, I want to be a watermelon"
        let body = try keys.encrypt(Array(text.utf8), by: sender, salt: bytes("DGv6ra1nlYgDCS1FRnbzlw"))
        #expect(
            Base64URL.text(body) == """
                DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZII\
                gDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_\
                yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN
                """)
        #expect(try browser.text(of: body) == text)
    }

    @Test func theLongestTextFitsAndALongerOneIsRefused() throws {
        let browser = FakeBrowser()
        let keys = try #require(BrowserKeys(key: bytes(browser.key), secret: browser.secret))
        let text = [UInt8](repeating: 0x61, count: EncryptedContent.longestText)
        let body = try keys.encrypt(text)
        #expect(body.count == 4096)
        #expect(try browser.text(of: body).utf8.count == text.count)
        #expect(throws: WebFailure.self) { try keys.encrypt(text + text.prefix(1)) }
    }

    @Test func keysThatAreNoneAreRefused() throws {
        let browser = FakeBrowser()
        let key = try bytes(browser.key)
        #expect(BrowserKeys(key: key, secret: Array(browser.secret.dropLast())) == nil)
        #expect(BrowserKeys(key: key.dropLast(), secret: browser.secret) == nil)
        // It is no point of the curve.
        #expect(BrowserKeys(key: key.dropLast() + [key[64] ^ 1], secret: browser.secret) == nil)
        #expect(Base64URL.bytes("a+b/") == nil)
        #expect(Base64URL.bytes("AA==") == [0])
    }

    @Test func theServiceLearnsWhoSendsAndNobodyElseCanUseIt() throws {
        let pair = P256.Signing.PrivateKey()
        let url = try WebURL("https://push.example.org:8443/send/1?x=2")
        let value = try PushKey(pair).authorization(for: url, contact: "mailto:ada@example.org", at: moment(0))
        let match = try #require(try /vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)/.wholeMatch(in: value))
        let (head, claims, signature) = (match.1, match.2, try bytes(String(match.3)))
        #expect(String(match.4) == Base64URL.text(pair.publicKey.x963Representation))
        let signed = Array("\(head).\(claims)".utf8)
        #expect(pair.publicKey.isValidSignature(try .init(rawRepresentation: signature), for: signed))
        #expect(String(decoding: try bytes(String(head)), as: UTF8.self) == #"{"typ":"JWT","alg":"ES256"}"#)
        #expect(
            String(decoding: try bytes(String(claims)), as: UTF8.self) == #"""
                {"aud":"https://push.example.org:8443","exp":1777672800,"sub":"mailto:ada@example.org"}
                """#)
    }

    @Test(arguments: [
        ("help@example.org", "mailto:help@example.org"), ("https://example.org/help", "https://example.org/help"),
        ("mailto:a@example.org", "mailto:a@example.org"), ("Ask the driver", nil), ("@", nil), ("a@b@c", nil),
        ("http://example.org", nil),
    ]) func theContactIsAMailAddressOrAPage(_ support: String, _ contact: String?) {
        #expect(PushSettings(.on, support: support).contact == contact)
    }
}
