import Phones
import TestSupport
import Testing

@Suite struct PhoneSecretTests {
    @Test(arguments: [
        Sample.secret, Sample.secret.uppercased(), "  \(Sample.secret)\r\n",
    ]) func textsOf32HexadecimalDigitsAreSecrets(text: String) {
        #expect(PhoneSecret(text)?.text == Sample.secret)
    }

    @Test(arguments: [
        "", "123456", String(Sample.secret.dropLast()), Sample.secret + "0", "g" + Sample.secret.dropFirst(),
        "00112233 445566778899aabbccddeeff", String(repeating: "é", count: 32), String(repeating: " ", count: 200),
    ]) func otherTextsAreNoSecrets(text: String) {
        #expect(PhoneSecret(text) == nil)
    }

    @Test func newSecretHasTheBitsOfItsGenerator() throws {
        var generator = SeededGenerator(seed: 7)
        let secret = PhoneSecret(using: &generator)
        var same = SeededGenerator(seed: 7)
        let (high, low) = (same.next(), same.next())
        let digits = [high, low].map { bits in
            let text = String(bits, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        #expect(secret.text == digits.joined())
        #expect(PhoneSecret(secret.text) == secret)
    }

    @Test func descriptionsDoNotContainTheSecret() throws {
        let secret = try #require(PhoneSecret(Sample.secret))
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), dumped] { #expect(!text.contains(Sample.secret)) }
    }

    @Test(arguments: [
        PhoneRequest.Head(authorization: "Basic \(Sample.basic)"),
        .init(authorization: "bAsIc   \(Sample.basic)"),
        .init(authorization: "Basic \(Sample.basic.replacing("=", with: ""))"),
        .init(authorization: "Bearer \(Sample.secret)"),
        .init(authorization: "bearer \(Sample.secret.uppercased())"),
        .init(query: "lat=1&id=\(Sample.secret)"),
        .init(query: "deviceid=\(Sample.secret)"),
        .init(query: "device_id=%20\(Sample.secret)"),
        .init(path: Sample.secret),
        .init(path: "rosa/\(Sample.secret)/", query: "lat=1"),
        .init(path: "%30" + Sample.secret.dropFirst()),
        // An identifier that an app has made up is no secret, and the next place decides.
        .init(path: Sample.secret, query: "id=123456", authorization: "Basic cHJveHk6cHJveHk="),
        .init(path: Sample.other, query: "id=\(Sample.secret)"),
        .init(path: Sample.other, query: "id=\(Sample.other)", authorization: "Bearer \(Sample.secret)"),
    ]) func headHasTheSecret(head: PhoneRequest.Head) {
        #expect(head.secret?.text == Sample.secret)
    }

    @Test func userNameMayHaveAColon() {
        // `a:b:` and the secret.
        let head = PhoneRequest.Head(
            authorization: "Basic YTpiOjAwMTEyMjMzNDQ1NTY2Nzc4ODk5YWFiYmNjZGRlZWZm")
        #expect(head.secret?.text == Sample.secret)
    }

    @Test(arguments: [
        PhoneRequest.Head(), .init(authorization: "Basic"), .init(authorization: "Basic !!!"),
        .init(authorization: Sample.secret), .init(authorization: "Digest \(Sample.secret)"),
        .init(authorization: "Basic " + String(repeating: "A", count: 5000)), .init(path: "///", query: "id="),
        .init(query: "secret=\(Sample.secret)"), .init(path: "%zz%"),
    ]) func headWithoutASecretHasNone(head: PhoneRequest.Head) {
        #expect(head.secret == nil)
    }

    @Test(arguments: [
        "id=\(Sample.secret)&lat=1&lon=2", "lat=1&deviceid=\(Sample.secret)",
        #"{"device_id":"\#(Sample.secret)","location":{}}"#,
    ]) func bodyHasTheSecretIfTheHeadHasNone(body: String) {
        #expect(PhoneRequest(head: .init(), body: Array(body.utf8)).secret?.text == Sample.secret)
        let wrong = PhoneRequest.Head(authorization: "Bearer \(Sample.other)")
        #expect(PhoneRequest(head: wrong, body: Array(body.utf8)).secret?.text == Sample.other)
    }

    @Test(arguments: [
        "", #"{"_type":"location","password":"\#(Sample.secret)"}"#, #"{"device_id":17}"#, "[]", "garbage",
        #"{"locations":[{"properties":{"device_id":"\#(Sample.secret)"}}]}"#,
    ]) func otherBodiesHaveNoSecret(body: String) {
        #expect(PhoneRequest(head: .init(), body: Array(body.utf8)).secret == nil)
    }
}
