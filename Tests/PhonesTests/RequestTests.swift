import Phones
import Positioning
import TestSupport
import Testing
import Time

@Suite struct RequestTests {
    @Test(arguments: [
        "not json at all", #"{"_type":"location","lat":1.5,"tst":17"#, "\u{0}\u{0}", #"{"_type":"location",,}"#,
        #"<?xml version="1.0"?><location/>"#, #"{'_type':'location'}"#, #"{"_type":"location","lat":NaN}"#,
        #"{"_type":"location","lat":1e999}"#, String(repeating: "[", count: 200_000), "\u{1F}\u{8B}\u{8}",
    ]) func bodyThatCannotBeReadIsASuccessForEveryApp(body: String) {
        let report = report(body)
        #expect(report.client == nil)
        #expect(report.onlyReason == .unreadable)
        // An object is a success for OwnTracks, and this one for Overland.
        #expect(report.answer == .overland)
    }

    @Test(arguments: ["null", "17", #""location""#, "true", "[7]"]) func jsonThatIsNoObjectHasNoType(body: String) {
        #expect(report(body).onlyReason == .noType)
    }

    @Test(arguments: ["", "  \r\n"]) func noBodyIsEmpty(body: String) {
        #expect(report(body).onlyReason == .empty)
        #expect(report(body).answer == .array)
        #expect(report("[]").onlyReason == .empty)
    }

    @Test func bodyThatIsTooLongIsNotRead() {
        let filling = String(repeating: " ", count: PhoneRequest.maximumBodyLength)
        #expect(report(#"{"_type":"lwt"}"# + filling).onlyReason == .unreadable)
        let longest = #"{"_type":"lwt"}"# + filling.dropLast(15)
        #expect(longest.utf8.count == PhoneRequest.maximumBodyLength)
        #expect(report(longest).onlyReason == .lwt)
    }

    @Test func otherEncodingsOfUnicodeAreRead() {
        let text = #"{"_type":"location","lat":1,"lon":2,"tst":9,"poi":"Málaga"}"#
        let utf8: [UInt8] = [0xEF, 0xBB, 0xBF] + Array(text.utf8)
        var utf16: [UInt8] = [0xFF, 0xFE]
        for unit in text.utf16 { utf16 += [UInt8(unit & 255), UInt8(unit >> 8)] }
        for body in [utf8, utf16, Array(text.utf8)] {
            #expect(PhoneReport(reading: PhoneRequest(head: .init(), body: body)).onlyFix != nil)
        }
    }

    @Test func answersHaveTheirBodies() {
        #expect(PhoneAnswer.array.body == Array("[]".utf8))
        #expect(PhoneAnswer.overland.body == Array(#"{"result":"ok"}"#.utf8))
        #expect(PhoneAnswer.empty.body.isEmpty)
        #expect(PhoneAnswer.empty.contentType == nil)
    }

    @Test func mutatedRequestsAreReadWithoutATrap() {
        let sources = [
            #"{"_type":"location","lat":41.5,"lon":2.25,"tst":1700000000,"acc":10,"poi":"\ud83d\ude00 \u00e9"}"#,
            #"{"device_id":"x","location":{"timestamp":"2023-11-14T22:13:20Z","coords":{"latitude":1,"longitude":2}}}"#,
            #"{"locations":[{"geometry":{"coordinates":[2,1]},"properties":{"timestamp":"2023-11-14T22:13:20Z"}}]}"#,
            "id=x&timestamp=2023-11-15T00:13:20%2B02:00&lat=41.5&lon=2.25&speed=10&location=1%2C2",
        ].map { Array($0.utf8) }
        var generator = SeededGenerator(seed: 41)
        var kinds: Set<String> = []
        for _ in 0..<4000 {
            var bytes = sources[Int.random(in: 0..<sources.count, using: &generator)]
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
                case 1: bytes.removeSubrange(index...)
                case 2: bytes.insert(contentsOf: bytes[index...].prefix(20), at: index)
                default: bytes.remove(at: index)
                }
                if bytes.isEmpty { bytes = [0x20] }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            for request in [
                PhoneRequest(head: .init(), body: bytes),
                PhoneRequest(head: .init(path: text, query: text, authorization: "Basic " + text), body: bytes),
            ] {
                let report = PhoneReport(reading: request)
                #expect(report.fixes.count + report.ignored.values.reduce(0, +) > 0 || report.client == .overland)
                #expect(report.fixes.allSatisfy { $0.fix.time == $0.time && $0.time.milliseconds > 0 })
                kinds.insert(report.client?.rawValue ?? "none")
                if let reason = report.onlyReason { kinds.insert(reason.rawValue) }
            }
        }
        #expect(kinds.isSuperset(of: ["owntracks", "osmand", "traccar", "overland", "none", "unreadable", "no-time"]))
    }
}
