import FeatureSupport
import GRDB
import Geodesy
import RPC
import Store
import TestSupport
import Testing

@testable import Daemon
@testable import Service
@testable import Sights

@Suite(.slow) struct SightSearchTests {
    private let store: LocationDatabase

    init() throws { store = try LocationDatabase.fresh() }

    private func sight(
        _ id: String, _ title: String, _ information: String? = nil, category: String? = nil, at latitude: Double = 52
    ) -> Sight {
        Sight(
            id: id, title: title, place: Coordinate(latitude: latitude, longitude: 4).known, category: category,
            information: information)
    }

    private func found(_ text: String) throws -> [String] {
        try store.sights(SightStore.Query(text: text)).map(\.id)
    }

    @Test func searchIgnoresCaseAndAccentsAndNeedsAllWords() throws {
        _ = try store.importSights([
            sight("eglise", "Église Saint-Jean", "A Gothic tower.", category: "church"),
            sight("mill", "Old Mill", "It turns on Sundays."), sight("museum", "Miller's Museum", "Of the old town."),
        ])
        #expect(try found("eglise") == ["eglise"])
        #expect(try found("ÉGLISE jean") == ["eglise"])
        #expect(try found("saint-j") == ["eglise"])
        #expect(try found("church gothic") == ["eglise"])
        #expect(try found("mill") == ["mill", "museum"])
        // Only the last word may be a prefix.
        #expect(try found("mil turns") == [])
        #expect(try found("turns mil") == ["mill"])
        #expect(try found("old town") == ["museum"])
        #expect(try found("town castle") == [])
    }

    @Test func wordsInTitlesRankAboveThoseInDescriptions() throws {
        _ = try store.importSights([
            sight("text", "A tower", "The castle stood here, they say of the castle."),
            sight("category", "Ruin", category: "castle"), sight("title", "The castle"),
        ])
        #expect(try found("castle") == ["title", "category", "text"])
    }

    @Test(arguments: [
        "\"", "\"\"", "mill\"", "(", "mill)", "*", "mill*", "^mill", "-mill", "+", "mill AND", "OR", "NOT mill",
        "NEAR(",
        "title:mill", "{title category}:mill", "mill\u{0}mill", "'; DROP TABLE sight; --", "%", "_", "💥",
        "a:b",
        ":", "\\", "\u{301}",
    ])
    func searchTextsAreNeverReadAsOperators(_ text: String) throws {
        _ = try store.importSights([sight("mill", "Old mill"), sight("and", "And or not near title")])
        let plain = text.split { !$0.isLetter }.map { $0.lowercased() }
        let words = ["mill": ["old", "mill"], "and": ["and", "or", "not", "near", "title"]]
        let expected = words.filter { _, title in
            !plain.isEmpty
                && plain.enumerated().allSatisfy { index, word in
                    title.contains(word) || index == plain.count - 1 && title.contains { $0.hasPrefix(word) }
                }
        }
        #expect(try Set(found(text)) == Set(expected.keys))
    }

    @Test func aBlankTextMatchesAllSights() throws {
        _ = try store.importSights([sight("b", "B"), sight("a", "A")])
        #expect(try found("") == ["b", "a"])
        #expect(try found(" \n\t\u{1}") == ["b", "a"])
    }

    @Test func theIndexFollowsEachChange() async throws {
        let core = try CoreFixture()
        func found(_ text: JSONValue) async throws -> [String] {
            try await core.call("sights.list", ["text": text])["sights"].elements.ids
        }
        _ = try await core.call(
            "sights.add", ["id": "a", "title": "Old mill", "description": "Turns.", "lat": 1, "lon": 2])
        #expect(try await found("mill") == ["a"])
        _ = try await core.call("sights.update", ["id": "a", "title": "Windmühle"])
        #expect(try await found("mill") == [])
        #expect(try await found("windmuhle turns") == ["a"])
        _ = try await core.call("sights.update", ["id": "a", "radius": 50])
        _ = try await core.call("sights.import", ["sights": [["id": "a", "title": "Bridge", "lat": 1, "lon": 2]]])
        #expect(try await found("bridge") == ["a"])
        #expect(try await found("turns") == [])
        try await core.store.write { db in
            // Fails if the index differs from the sights.
            try db.execute(sql: "INSERT INTO sight_text (sight_text, rank) VALUES ('integrity-check', 1)")
        }
        _ = try await core.call("sights.remove", ["id": "a"])
        #expect(try await found("bridge") == [])
        try await core.store.write { db in
            try db.execute(sql: "INSERT INTO sight_text (sight_text, rank) VALUES ('integrity-check', 1)")
        }
    }

    @Test func theIndexFollowsAnImportThatNamesASightTwice() throws {
        _ = try store.importSights([sight("a", "Mill"), sight("b", "Tower")])
        _ = try store.importSights([
            sight("c", "Church"), sight("a", "Bridge"), sight("c", "Castle"), sight("b", "Tower"),
        ])
        #expect(try found("castle") == ["c"])
        #expect(try found("church") == [])
        #expect(try found("bridge") == ["a"])
        #expect(try found("mill") == [])
        #expect(try found("tower") == ["b"])
        try store.write { db in
            try db.execute(sql: "INSERT INTO sight_text (sight_text, rank) VALUES ('integrity-check', 1)")
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM sight_text_due") == 0)
        }
    }

    @Test func ofTooManyMatchesToScoreThoseWithTheWordsInTheTitleComeFirst() async throws {
        let core = try CoreFixture()
        func isTitled(_ number: Int) -> Bool { number % 3 == 0 }
        func isDescribed(_ number: Int) -> Bool { number % 5 != 0 }
        func isOfCategory(_ number: Int) -> Bool { number % 2 == 0 }
        let numbers = 0..<(SightSearch.maximumScored + 300)
        let sights = numbers.map { number in
            let title = isTitled(number) ? "Tower \(number)" : "Gate \(number)"
            let description: String? = isDescribed(number) ? "Of a tower." : nil
            let category = isOfCategory(number) ? "tower" : "gate"
            return sight("s\(number)", title, description, category: category, at: Double(number % 80))
        }
        _ = try core.store.importSights(sights)
        func pages(_ parameters: JSONObject) async throws -> [String] {
            var parameters = parameters
            parameters["limit"] = 37
            return try await core.pages("sights.list", parameters, of: "sights").flatMap(\.ids)
        }
        func expected(_ isAsked: (Int) -> Bool) -> [String] {
            let matching = numbers.filter { number in
                isAsked(number) && (isTitled(number) || isDescribed(number) || isOfCategory(number))
            }
            let ordered = matching.filter(isTitled) + matching.filter { !isTitled($0) }
            return ordered.map { "s\($0)" }
        }
        #expect(try await pages(["text": "tow"]) == expected { _ in true })
        #expect(try await pages(["text": "tower", "category": "gate"]) == expected { $0 % 2 == 1 })
        #expect(
            try await pages(["text": "tower", "bbox": [0, 10, 10, 20]]) == expected { (10...20).contains($0 % 80) })
        // The next page keeps the order of the first one, even if fewer sights match by then.
        let first = try await core.call("sights.list", ["text": "tower", "limit": 50])
        try await core.store.write { db in
            _ = try GeofenceRevision.next(in: db)
            try db.execute(sql: "DELETE FROM sight WHERE number > 900")
        }
        let second = try await core.call(
            "sights.list", ["text": "tower", "limit": 50, "after": first["next"] ?? .null])
        #expect(second["sights"].elements.ids == Array(expected { $0 < 900 }.dropFirst(50).prefix(50)))
    }

    @Test func searchPagesJoinIntoTheWholeWithWindowAndCategory() async throws {
        let core = try CoreFixture()
        var random = SeededGenerator(seed: 5)
        let words = ["mill", "tower", "old", "church", "of", "the"]
        let sights = (0..<200).map { number in
            let title = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                words[Int.random(in: 0..<words.count, using: &random)]
            }
            return sight(
                "s\(number)", title.joined(separator: " "), "mill", category: number % 3 == 0 ? "x" : nil,
                at: Double(number % 90))
        }
        _ = try core.store.importSights(sights)
        let whole = try await core.call("sights.list", ["text": "mill", "limit": 1000])["sights"].elements.ids
        #expect(Set(whole) == Set(sights.map(\.id)))
        let pages = try await core.pages("sights.list", ["text": "mill", "limit": 7], of: "sights")
        #expect(pages.flatMap { $0 }.ids == whole)
        #expect(pages.dropLast().allSatisfy { $0.count == 7 })
        // Further conditions keep the order.
        let some = try await core.pages(
            "sights.list", ["text": "mill", "limit": 3, "category": "x", "bbox": [0, 10, 10, 60]], of: "sights")
        let allowed = Set(sights.filter { $0.category == "x" && (10...60).contains($0.place.latitude) }.map(\.id))
        #expect(some.flatMap { $0 }.ids == whole.filter(allowed.contains))
    }

    @Test func listsAreReadFromIndexes() throws {
        try store.write { db in
            let queries: [SightStore.Query] = [
                .init(category: "x", after: .init(number: 5), limit: 10),
                .init(window: MapWindow(west: 1, south: 2, east: 3, north: 4), limit: 10),
                .init(text: "mill", limit: 10),
                .init(text: "mill", category: "x", after: .init(rank: -1, number: 3), limit: 10),
            ]
            for (query, isCommon) in queries.map({ ($0, false) }) + queries.suffix(2).map({ ($0, true) }) {
                let (sql, arguments) = SightStore.request(query, isCommon: isCommon)
                let rows = try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql)", arguments: arguments)
                let plan = rows.map { $0["detail"] as String }
                #expect(!plan.contains { $0.hasPrefix("SCAN sight") && !$0.contains("VIRTUAL TABLE") }, "\(plan)")
            }
        }
    }
}

@Suite struct CompassPointTests {
    @Test func theNearestOfSixteenPointsIsChosen() {
        for step in 0..<3600 {
            let degrees = Double(step) / 10
            let nearest = CompassPoint.allCases.indices.min { one, other in
                abs(Angle.degrees(degrees - Double(one) * 22.5).signedDegrees)
                    < abs(Angle.degrees(degrees - Double(other) * 22.5).signedDegrees)
            }
            let index = CompassPoint.allCases.firstIndex(of: CompassPoint(.degrees(degrees)))
            let isHalfway = (degrees - 11.25).truncatingRemainder(dividingBy: 22.5) == 0
            #expect(isHalfway || index == nearest, "\(degrees)")
        }
        #expect(CompassPoint(.degrees(11.25)) == .northNortheast)
        #expect(CompassPoint(.degrees(348.75)) == .north)
        #expect(CompassPoint(.degrees(-90)) == .west)
        #expect(CompassPoint(.degrees(359.999)).rawValue == "N")
    }
}

extension Angle {
    /// The angle in degrees from -180 to 180.
    fileprivate var signedDegrees: Double {
        let degrees = normalized.degrees
        return degrees > 180 ? degrees - 360 : degrees
    }
}
