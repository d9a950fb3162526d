import FeatureSupport
import Testing

@testable import Service

/// Texts and destinations of notifications: names of people and sights cannot inject markup or links.
@Suite struct NotificationTextTests {
    @Test func emphasisIsTheOnlyMarkup() {
        let name = "<script>alert(1)</script> & \"Co\" <b>"
        let text: NotificationText = "1 < 2, says \(name) of \(bold: name): \(7)"
        let inert = "&lt;script&gt;alert(1)&lt;/script&gt; &amp; \"Co\" &lt;b&gt;"
        #expect(text.markup == "1 &lt; 2, says \(inert) of <b>\(inert)</b>: 7")
    }

    @Test func markupInALiteralIsEscaped() {
        let text: NotificationText = "<b>Stop</b>"
        #expect(text.markup == "&lt;b&gt;Stop&lt;/b&gt;")
    }

    @Test func lineBreaksAndDirectionMarksAreRemoved() {
        let text: NotificationText = "\(bold: "a\nb\u{202E}c\u{2067}d\u{85}e\u{7F}\0")"
        #expect(text.markup == "<b>a bcd e  </b>")
    }

    @Test func longNamesAreCutBetweenCharacters() {
        let text: NotificationText = "\(bold: String(repeating: "é<", count: 10_000))"
        #expect(text.markup.hasPrefix("<b>é&lt;é&lt;"))
        #expect(text.markup.hasSuffix("…</b>"))
        // 333 of the two-byte letters are 999 bytes; the next one does not fit.
        #expect(text.markup.count { $0 == "é" } == 333)
    }

    @Test(arguments: [
        "waymark://sight/old-mill", "waymark://sight/with space/and slash", "http://example.org",
        "https://example.org/a?b=c#d", "HTTPS://Example.org/ä", "https://[::1]:8080/",
    ])
    func isADestination(_ destination: String) {
        #expect(NotificationDestination(destination) != nil)
    }

    @Test(arguments: [
        "", "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "waymark://", "waymark://sight",
        "waymark://sight/", "waymark:///mill", "waymark://sight/a\nb", "https://", "https:///path", "http://?q",
        "https://example.org/\" onclick=\"x", "https://example.org/<b>", "https://exa mple.org", "//example.org",
        " https://example.org", "https://example.org/\u{202E}gpj", "ftp://example.org",
        "https://example.org/" + String(repeating: "x", count: 3000),
    ])
    func isNotADestination(_ destination: String) {
        #expect(NotificationDestination(destination) == nil)
    }

    @Test func aNotificationWithAnInvalidDestinationIsRefused() async throws {
        let core = try CoreFixture()
        try core.people("ada")
        await #expect(throws: (any Error).self) {
            try await core.tell("ada", key: "a", destination: "javascript:alert(1)")
        }
        await #expect(throws: (any Error).self) { try await core.tell("ada", key: "b", .open("javascript:alert(1)")) }
        await #expect(throws: (any Error).self) {
            try await core.tell("ada", key: "c", .call(method: "sights.get", parameters: "[]"))
        }
        #expect(try await core.texts(of: "ada").isEmpty)
        #expect(core.liveState.told.isEmpty)
    }
}
