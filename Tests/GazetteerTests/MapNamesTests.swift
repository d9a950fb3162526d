import GRDB
import Geodesy
import RPC
import Service
import TestSupport
import Testing

@testable import Gazetteer
@testable import Store

extension Shelf {
    @discardableResult
    fileprivate func importPart(
        _ text: String, of map: String, part: Int64 = 1, isLast: Bool = true
    ) throws -> MapNames.Progress {
        try queue.write { try MapNames.importPart(text, of: map, part: part, isLast: isLast, in: $0) }
    }

    fileprivate func names(_ text: String, near: Coordinate? = nil) throws -> [String] {
        try search(text, near: near).map(\.place.name)
    }
}

/// Names of OpenStreetMap, and the order in which they are found.
@Suite struct MapNamesTests {
    private static let woerden = """
        settlement\ttown\t52.085\t4.8833\t48431\tWoerden
        settlement\tquarter\t52.09\t4.87\t0\tWoerden-West
        street\tresidential\t52.0871\t4.8830\t0\tUtrechtsestraatweg\tUtrechtsestr.
        point\trestaurant\t52.0851\t4.8835\t0\tRestaurant Utrecht
        point\tbakery\t52.0861\t4.8836\t0\tUtrechter Bäcker\tThe Baker
        point\tartwork\t52.0861\t4.8836\t0\t…

        """

    private static let center = Coordinate(latitude: 52.085, longitude: 4.8833).known

    @Test func whatIsNearComesFirstWhateverItsKind() throws {
        let shelf = try Shelf()
        let progress = try shelf.importPart(Self.woerden, of: "woerden")
        #expect(progress == .init(lines: 6, names: 5, isDone: true))
        let found = try shelf.search("utrech", near: Self.center)
        #expect(
            found.map(\.place.name) == ["Restaurant Utrecht", "Utrechter Bäcker", "Utrechtsestraatweg", "Utrecht"])
        #expect(try shelf.names("utrecht", near: Self.center).first == "Utrecht", "the town that has the whole name")
        #expect(found.map(\.place.found.kind) == ["point", "point", "street", "place"])
        #expect(found.map(\.place.found.word) == ["restaurant", "bakery", "residential", nil])
        #expect(Set(found.map(\.place.found.id)).count == 4)
        // Elsewhere, what GeoNames has comes first, largest first.
        #expect(try shelf.names("utrecht").first == "Utrecht")
        #expect(try shelf.names("utrecht").count == 4)
        #expect(try shelf.names("the b") == ["Utrechter Bäcker"])
        #expect(try shelf.names("baecker") == [])
        #expect(try shelf.names("backer") == ["Utrechter Bäcker"], "a point is found by its second word")
        #expect(try shelf.names("straatweg") == [])
    }

    @Test func aTownOfBothIsFoundOnce() throws {
        let shelf = try Shelf()
        try shelf.importPart(Self.woerden, of: "woerden")
        for near in [nil, Self.center] {
            #expect(try shelf.names("woerden", near: near).sorted() == ["Woerden", "Woerden-West"])
            #expect(try shelf.ids("woerden", near: near).contains(3), "GeoNames knows more of it")
        }
        let without = try Shelf([])
        try without.importPart(Self.woerden, of: "woerden")
        #expect(try without.names("woerden") == ["Woerden", "Woerden-West"])
        #expect(try without.search("woerden").first?.place.found.population == 48431)
    }

    @Test func aPlaceIsNamedAfterATownOfAMapIfGeoNamesHasNone() throws {
        let shelf = try Shelf([])
        try shelf.importPart(Self.woerden, of: "woerden")
        try shelf.queue.read { db in
            var names = try PlaceNames(db)
            #expect(!names.isEmpty)
            // A quarter is no town, and a shop even less.
            #expect(try names.name(of: Coordinate(latitude: 52.09, longitude: 4.87).known) == "Woerden")
            #expect(try names.name(of: Coordinate(latitude: 53, longitude: 4.87).known) == nil)
            #expect(try PlaceNames.zone(at: Self.center, in: db) == nil)
        }
        let both = try Shelf()
        try both.importPart("settlement\tvillage\t52.36\t4.93\t0\tZeeburg\n", of: "a")
        try both.queue.read { db in
            var names = try PlaceNames(db)
            #expect(try names.name(of: Coordinate(latitude: 52.36, longitude: 4.93).known) == "Amsterdam")
        }
    }

    @Test func theNamesOfAMapAreReplacedAndRemoved() throws {
        let shelf = try Shelf([])
        try shelf.importPart(Self.woerden, of: "woerden")
        try shelf.importPart("street\tpath\t52.0\t5.0\t0\tKerkpad\n", of: "other")
        #expect(try shelf.importPart("street\tpath\t52.1\t5.0\t0\tKerkstraat\n", of: "woerden").names == 1)
        #expect(try shelf.names("utrecht").isEmpty)
        #expect(try shelf.names("kerk").sorted() == ["Kerkpad", "Kerkstraat"])
        #expect(try shelf.queue.write { try MapNames.remove("woerden", in: $0) } == 1)
        #expect(try shelf.names("kerk") == ["Kerkpad"])
        #expect(try shelf.queue.write { try MapNames.remove("woerden", in: $0) } == 0)
        #expect(try shelf.queue.write { try MapNames.remove("other", in: $0) } == 1)
        let rows = try shelf.queue.read { db in
            try ["map_name", "map_name_key", "map_name_draft"].map {
                try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)")
            }
        }
        #expect(rows == [0, 0, 0])
    }

    @Test func partsMustComeInOrderAndBeOfOneMap() throws {
        let shelf = try Shelf([])
        let line = "street\tpath\t52.0\t5.0\t0\tKerkpad\n"
        #expect(try !shelf.importPart(line, of: "a", isLast: false).isDone)
        #expect(try shelf.names("kerk").isEmpty, "until the last part, nothing is found")
        for (map, part) in [("b", 2), ("a", 3), ("a", 0)] as [(String, Int64)] {
            let error = #expect(throws: Refusal.self) { try shelf.importPart(line, of: map, part: part) }
            #expect(error?.kind == .conflict)
        }
        let wrong = #expect(throws: Refusal.self) { try shelf.importPart(line + "x\n", of: "a", part: 2) }
        #expect(wrong?.message.contains("line 3") == true, "\(String(describing: wrong))")
        #expect(try shelf.importPart(line, of: "a", part: 2) == .init(lines: 2, names: 2, isDone: true))
        #expect(try shelf.importPart("", of: "a") == .init(lines: 0, names: 0, isDone: true))
        #expect(try shelf.names("kerk").isEmpty)
    }

    @Test(arguments: [
        ("street\tpath\t52\t5\t0", "columns"), ("road\tpath\t52\t5\t0\tA", "column 1"),
        ("street\t\t52\t5\t0\tA", "column 2"), ("street\tpath\t91\t5\t0\tA", "columns 3 and 4"),
        ("street\tpath\tnan\t5\t0\tA", "columns 3 and 4"), ("street\tpath\t52\t5\t-1\tA", "column 5"),
        ("street\tpath\t52\t5\t99999999999999999999\tA", "column 5"), ("street\tpath\t52\t5\t0\t", "column 6"),
        ("street\tpath\t52\t5\t0\t" + String(repeating: "a", count: 401), "column 6"),
        ("street\tpath\t52\t5\t0\tA" + String(repeating: "\tb", count: 40), "columns"),
    ]) func invalidLinesAreRefused(_ line: String, _ said: String) throws {
        let error = #expect(throws: Refusal.self) { try Shelf([]).importPart(line, of: "a") }
        #expect(error?.kind == .invalidValue)
        #expect(error?.message.contains(said) == true, "\(String(describing: error))")
    }

    /// Compares the search near a place with a plain look at all names, with enough of them that each way of searching
    /// is used.
    @Test func searchesFindTheSameAsALookAtAllNames() throws {
        var generator = SeededGenerator(seed: 23)
        let letters = Array("aabbc")
        var lines: [(name: String, place: Coordinate)] = []
        for _ in 0..<12_000 {
            let name = String(
                (0..<Int.random(in: 1...8, using: &generator)).map { _ in letters.randomElement(using: &generator).known
                })
            let place = Coordinate(
                latitude: Double.random(in: 51.9...52.9, using: &generator),
                longitude: Double.random(in: 4.5...5.5, using: &generator)
            ).known
            lines.append((name, place))
        }
        let shelf = try Shelf([])
        try shelf.importPart(
            lines.map { "street\tpath\t\($0.place.latitude)\t\($0.place.longitude)\t0\t\($0.name)" }
                .joined(separator: "\n"), of: "a")
        let center = Coordinate(latitude: 52, longitude: 5).known
        for text in ["a", "b", "ab", "aab", "abab", "aabbaa", "bbbbbbb"] {
            let near = lines.filter { $0.name.hasPrefix(text) }.map { Sphere.distance(from: center, to: $0.place) }
                .filter { $0 <= GazetteerSearch.nearby }.map { $0.meters.rounded() }.sorted()
            var (found, key): ([Double], GazetteerSearch.Key?) = ([], nil)
            while found.count < near.count {
                let page = try shelf.search(text, near: center, after: key, limit: 150)
                guard let last = page.last, last.key != key else { break }
                found += page.compactMap { $0.key.distance.map(Double.init) }
                key = last.key
            }
            #expect(found == near, "\(text)")
        }
    }
}
