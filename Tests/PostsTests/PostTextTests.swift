import RPC
import Testing

@testable import Posts

@Suite struct PostTextTests {
    @Test(arguments: [
        ("https://shop.example/coat?size=m#blue", "https://shop.example/coat?size=m#blue"),
        ("HTTP://shop.example", "http://shop.example"), (" http://shop.example/mäntel ", "http://shop.example/mäntel"),
    ])
    func httpAndHTTPSLinksAreAccepted(_ given: String, _ kept: String) throws {
        #expect(try PostText.link(given) == kept)
    }

    @Test(arguments: [
        "", "shop.example", "ftp://shop.example", "javascript:alert(1)", "waymark://sight/mill", "http://",
        "https:///x",
        "http://shop.example/<b>", "http://shop.example/\"", "http://a\nb", "data:text/html,x", "http:shop.example",
    ])
    func otherLinksAreRefused(_ given: String) {
        #expect(throws: Refusal.self) { try PostText.link(given) }
    }

    @Test func brandsAreSingleLinesWithoutDuplicates() throws {
        #expect(try PostText.brands([" Levi's ", "Bally"]) == ["Levi's", "Bally"])
        #expect(try PostText.brands([]) == [])
        for brands in [["a", "A"], ["a\nb"], [" "], ["a\u{2028}b"], Array(repeating: "x", count: 11)] {
            let error = #expect(throws: Refusal.self) { try PostText.brands(brands) }
            #expect(error?.fault?.field == "brands", "\(String(describing: error))")
        }
        let longest = String(repeating: "é", count: 100)
        #expect(try PostText.line(longest, "name") == longest)
        #expect(throws: Refusal.self) { try PostText.line(longest + "x", "name") }
    }

    @Test func theMajorityDecidesAndEqualVotesAreATie() {
        #expect(Verdict().outcome == nil)
        #expect(Verdict(wears: 2, changes: 1).outcome == .wear)
        #expect(Verdict(wears: 1, changes: 2).outcome == .change)
        #expect(Verdict(wears: 2, changes: 2).outcome == .tie)
    }
}
