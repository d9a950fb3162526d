import Foundation
import Testing

/// The lines of the pages' own code are short enough to be read side by side.
@Suite struct LineLengthTests {
    private static let pages = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/Doors/WebServer/Pages").standardizedFileURL
    private static let longest = 120
    /// The files with longer lines, until somebody breaks them.
    private static let excepted: Set<String> = [
        "anchor.js", "app.js", "dom.js", "drawing/drawing.css", "events.js", "explain.js", "form.js", "format.js",
        "gpx.js", "growing.js", "lengths.js", "map.css", "map.js", "map/letters.js", "now/fleet.css", "order.js",
        "pages/add-phone.js", "pages/explore.js", "pages/feed.js", "pages/heat.js", "pages/link.js",
        "pages/notifications.js", "pages/now.js", "pages/people.js", "pages/person.js",
        "pages/plan-days.js", "pages/plan-journey.js", "pages/plan-locations.js", "pages/plan-people.js",
        "pages/plan-photos.js", "pages/plan.js", "pages/plans.js", "pages/post.js", "pages/product.js",
        "pages/ranking.js", "pages/shopping.js", "pages/sight.js", "pages/sights.js", "pages/sign-in.js",
        "pages/sign-up.js", "pages/trip.js", "pages/trips.js", "pages/vote.js", "pages/votes.js", "paths.js",
        "plan-forms.js", "planning/quick.js", "player/camera.js", "player/player.css", "rpc.js", "service-worker.js",
        "social.js", "story/story.css", "ui.js", "zones.js",
    ]

    @Test func noLineOfThePagesIsLongerThan120Characters() throws {
        let found = try #require(FileManager.default.enumerator(atPath: Self.pages.path))
        var (read, long) = (0, Set<String>())
        for case let path as String in found where path.hasSuffix(".js") || path.hasSuffix(".css") {
            guard !path.hasPrefix("lib/") else { continue }
            read += 1
            let text = try String(contentsOf: Self.pages.appending(path: path), encoding: .utf8)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            let wide = lines.filter { $0.element.count > Self.longest }.map { $0.offset + 1 }
            guard !wide.isEmpty else { continue }
            long.insert(path)
            #expect(Self.excepted.contains(path), "\(path) has long lines: \(wide)")
        }
        #expect(read > 100)
        #expect(Self.excepted.subtracting(long) == [], "these have no long line any more; take them off the list")
    }
}
