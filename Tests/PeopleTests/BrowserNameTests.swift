import Testing

@testable import People

/// The names of browsers, by which people know their sessions.
@Suite struct BrowserNameTests {
    @Test(arguments: [
        ("Mozilla/5.0 (Android 14; Mobile; rv:128.0) Gecko/128.0 Firefox/128.0", "Firefox", "Android"),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                + "Version/17.5 Mobile/15E148 Safari/604.1", "Safari", "iPhone"
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                + "CriOS/126.0.6478.54 Mobile/15E148 Safari/604.1", "Chrome", "iPhone"
        ),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 "
                + "Safari/537.36 Edg/126.0.0.0", "Edge", "Windows"
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) "
                + "Chrome/126.0.0.0 Safari/537.36", "Chrome", "macOS"
        ),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "Firefox", "Linux"),
    ])
    func knownBrowsersHaveNames(agent: String, program: String, system: String) {
        let name = BrowserName(userAgent: agent)
        #expect(name.program == program)
        #expect(name.system == system)
    }

    @Test func whatIsUnknownHasNoName() {
        for agent in [nil, "", "<b>a stranger</b>"] {
            let name = BrowserName(userAgent: agent)
            #expect(name.program == nil)
            #expect(name.system == nil)
        }
    }

    @Test func onlyTheBeginningOfALongNameCounts() {
        #expect(BrowserName(userAgent: String(repeating: "x", count: 600) + " Firefox/128.0").program == nil)
    }
}
