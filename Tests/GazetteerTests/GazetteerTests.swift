import GRDB
import Geodesy
import RPC
import Service
import TestSupport
import Testing

@testable import Gazetteer
@testable import Store

/// A town as a row of GeoNames' tables.
struct Town {
    var id: Int64
    var name: String
    var others: [String] = []
    var latitude: Double
    var longitude: Double
    var population = 1000
    var country = "NL"
    var zone = "Europe/Amsterdam"
    var feature = "PPL"
    var featureClass = "P"

    var line: String {
        let plain = name.replacing("Ł", with: "L").replacing("ó", with: "o").replacing("ź", with: "z")
        let columns = [
            "\(id)", name, plain, others.joined(separator: ","), "\(latitude)", "\(longitude)", featureClass, feature,
            country, "", "07", "", "", "", "\(population)", "", "", zone, "2026-01-01",
        ]
        return columns.joined(separator: "\t")
    }

    static let some: [Town] = [
        Town(
            id: 1, name: "Amsterdam", others: ["AMS", "Амстердам", "阿姆斯特丹"], latitude: 52.374, longitude: 4.8897,
            population: 741_636),
        Town(id: 2, name: "Utrecht", latitude: 52.0908, longitude: 5.1222, population: 290_529),
        Town(id: 3, name: "Woerden", latitude: 52.085, longitude: 4.8833, population: 48_431),
        Town(id: 4, name: "Amsterdam-Zuidoost", latitude: 52.3075, longitude: 4.9722, population: 84_811),
        Town(
            id: 5, name: "Amsterdam", latitude: 42.9387, longitude: -74.1882, population: 18_219, country: "US",
            zone: "America/New_York"),
        Town(
            id: 6, name: "Łódź", others: ["Lodsch"], latitude: 51.77, longitude: 19.47, population: 700_000,
            country: "PL", zone: "Europe/Warsaw"),
        Town(
            id: 7, name: "'s-Hertogenbosch", others: ["Den Bosch", "Bois-le-Duc"], latitude: 51.6992, longitude: 5.3042,
            population: 134_520),
        Town(id: 8, name: "Amstel", latitude: 52.3, longitude: 4.93, population: 0, feature: "STM", featureClass: "H"),
        Town(
            id: 9, name: "Suva", latitude: -18.14, longitude: 178.44, population: 77_366, country: "FJ",
            zone: "Pacific/Fiji"),
    ]
}

/// A store in memory with the gazetteer's tables.
struct Shelf {
    let queue: DatabaseQueue

    init(_ towns: [Town] = Town.some) throws {
        queue = try DatabaseQueue()
        try StoreSchema(adding: GazetteerFeature.feature.migrations).migrator.migrate(queue)
        guard !towns.isEmpty else { return }
        _ = try importPart(towns.map(\.line).joined(separator: "\n"))
    }

    @discardableResult
    func importPart(_ text: String, part: Int64 = 1, isLast: Bool = true) throws -> GazetteerImport.Progress {
        try queue.write { try GazetteerImport.importPart(text, part: part, isLast: isLast, in: $0) }
    }

    func search(
        _ text: String, near: Coordinate? = nil, after: GazetteerSearch.Key? = nil, limit: Int = 20
    ) throws -> [GazetteerSearch.Match] {
        try queue.read { try GazetteerSearch(text, near: near).matches(after: after, limit: limit, in: $0) }
    }

    func ids(_ text: String, near: Coordinate? = nil) throws -> [Int64] {
        try search(text, near: near).map(\.place.id)
    }
}

private func at(_ latitude: Double, _ longitude: Double) -> Coordinate {
    Coordinate(latitude: latitude, longitude: longitude).known
}

@Suite struct GazetteerTests {
    @Test(arguments: [
        ("Łódź", "lodz"), ("'s-Hertogenbosch", "s hertogenbosch"), ("  São Paulo ", "sao paulo"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"), ("İstanbul", "istanbul"), ("Tromsø", "tromso"), ("ＡＢ１", "ab1"),
        ("Амстердам", "амстердам"),
        ("e\u{301}glise", "eglise"), ("—", ""), ("", ""), ("St. John’s", "st john s"),
    ]) func namesAreFolded(_ name: String, _ folded: String) {
        var folding = NameFolding()
        #expect(String(decoding: folding.folded(name), as: UTF8.self) == folded)
        #expect(String(decoding: folding.folded(name), as: UTF8.self) == folded, "the second time")
    }

    @Test(arguments: [
        ("amst", [1, 4, 5]), ("AMSTERDAM", [1, 4, 5]), ("amsterdam z", [4]), ("амст", [1]), ("阿姆", [1]),
        ("ams", [1, 4, 5]),
        ("lodz", [6]), ("łódź", [6]), ("lods", [6]), ("s-hert", [7]), ("'s Hert", [7]), ("den b", [7]),
        ("bois le d", [7]),
        ("terdam", []), ("amstel", []), ("a", [1, 4, 5]), ("é", []), ("%", []),
    ]) func spellingsAreFoundByTheirPrefix(_ text: String, _ ids: [Int64]) throws {
        #expect(try Shelf().ids(text) == ids)
    }

    @Test func nearbyPlacesComeFirst() throws {
        let shelf = try Shelf()
        #expect(try shelf.ids("amsterda", near: at(52.31, 4.97)) == [4, 1, 5])
        #expect(try shelf.ids("amsterda", near: at(42.9, -74.2)) == [5, 1, 4])
        #expect(try shelf.ids("amsterda", near: at(0, 0)) == [1, 4, 5])
        let first = try shelf.search("amsterda", near: at(52.31, 4.97)).first.known
        #expect(first.distance.known < .kilometers(1))
    }

    @Test func theTownWithThatNameComesFirst() throws {
        let shelf = try Shelf()
        #expect(try shelf.ids("amsterdam", near: at(52.31, 4.97)) == [1, 4, 5], "the nearer one is named otherwise")
        #expect(try shelf.ids("amsterdam", near: at(42.9, -74.2)) == [5, 1, 4], "the one nearby, not the largest")
        #expect(try shelf.ids("amsterdam", near: at(0, 0)) == [1, 4, 5])
        let quarters = ((10...12) as ClosedRange<Int64>).map {
            Town(id: $0, name: "Utrecht-\($0)", latitude: 10, longitude: 10 + Double($0) / 100)
        }
        let village = Town(id: 20, name: "Suvarna", others: ["SUV"], latitude: 60, longitude: 10, population: 60_000)
        let near = Town(id: 21, name: "SUV hill", latitude: 10, longitude: 10)
        let more = try Shelf(Town.some + quarters + [village, near])
        #expect(try more.ids("utrecht", near: at(10, 10)) == [2, 10, 11, 12], "a large town before its quarter nearby")
        #expect(try more.ids("suv", near: at(10, 10)) == [21, 9, 20], "the letters of an airport are no whole name")
        #expect(try more.ids("suva", near: at(10, 10)) == [9, 20])
        #expect(try more.ids("suv") == [20, 9, 21], "without a place, the largest that is named so")
    }

    @Test(arguments: [
        ("royal pal", "Royal Palace", true), ("pal", "Royal Palace", true), ("ROYAL", "Royal Palace", true),
        ("palace roy", "Royal Palace", true), ("roy palace", "Royal Palace", false), ("alace", "Royal Palace", false),
        ("eglise", "Église Saint-Jean", true), ("saint jean", "Église Saint-Jean", true), ("—", "A — B", false),
        ("", "Royal Palace", false),
    ]) func titlesAreComparedByTheirWords(_ text: String, _ title: String, _ matches: Bool) {
        var comparison = NameComparison(text)
        #expect(comparison.matches(title) == matches)
    }

    @Test func pagesContinueWhereTheLastOneEnded() throws {
        let shelf = try Shelf()
        for near in [nil, at(52.31, 4.97)] {
            let all = try shelf.search("amsterdam", near: near).map(\.place.id)
            for limit in 1...3 {
                var (paged, key): ([Int64], GazetteerSearch.Key?) = ([], nil)
                while true {
                    let page = try shelf.search("amsterdam", near: near, after: key, limit: limit)
                    guard let last = page.last else { break }
                    paged += page.map(\.place.id)
                    key = GazetteerSearch.Key(last.key.values).known
                    #expect(key == last.key)
                }
                #expect(paged == all, "\(limit) a page")
            }
        }
    }

    /// Compares the search with a plain look at every spelling, with enough places that each way of searching is used.
    @Test func searchesFindTheSameAsALookAtAllSpellings() throws {
        var generator = SeededGenerator(seed: 17)
        let letters = Array("aabbcdé")
        var towns: [Town] = []
        for id in 1...6000 as ClosedRange<Int64> {
            func name() -> String {
                String(
                    (0..<Int.random(in: 1...9, using: &generator)).map { _ in
                        letters.randomElement(using: &generator).known
                    })
            }
            towns.append(
                Town(
                    id: id, name: name(), others: [name(), name()],
                    latitude: Double.random(in: 51...53, using: &generator),
                    longitude: Double.random(in: 4...6, using: &generator),
                    population: Int.random(in: 0...3000, using: &generator)))
        }
        let shelf = try Shelf(towns)
        let folded = towns.map { ([$0.name] + $0.others).map { $0.replacing("é", with: "e") } }
        for text in ["a", "b", "e", "ab", "aab", "abab", "ababa", "aabbaa", "bbbbbbb", "abcdabcd"] {
            let oracle = zip(towns, folded).filter { $0.1.contains { $0.hasPrefix(text) } }.map(\.0)
                .sorted { ($1.population, $0.id) < ($0.population, $1.id) }
            let named = zip(towns, folded).filter { $0.1.contains(text) }.map(\.0)
                .min { ($1.population, $0.id) < ($0.population, $1.id) }
            let sorted = (named.map { [$0.id] } ?? []) + oracle.map(\.id).filter { $0 != named?.id }
            #expect(try shelf.search(text, limit: 50).map(\.place.id) == Array(sorted.prefix(50)), "\(text)")
            let center = at(52, 5)
            let near = oracle.map { (Sphere.distance(from: center, to: at($0.latitude, $0.longitude)), $0) }
                .filter { $0.0 <= GazetteerSearch.nearby }
            let found = try shelf.search(text, near: center, limit: 10_000)
            #expect(found.count == oracle.count, "\(text)")
            #expect(Set(found.prefix(near.count).map(\.place.id)) == Set(near.map(\.1.id)), "\(text)")
        }
    }

    @Test func anImportReplacesThePreviousGazetteer() throws {
        let shelf = try Shelf()
        #expect(try shelf.queue.read { try GazetteerPlace.count(in: $0) } == 8)
        let progress = try shelf.importPart(Town.some[1].line + "\r\n\r\n")
        #expect(progress == .init(lines: 2, places: 1, isDone: true))
        #expect(try shelf.ids("amst").isEmpty)
        #expect(try shelf.ids("utr") == [2])
    }

    @Test func partsOfAnImportMustComeInOrderAndAddUp() throws {
        let shelf = try Shelf()
        #expect(try shelf.importPart(Town.some[5].line + "\n", part: 1, isLast: false).places == 1)
        #expect(try shelf.ids("utr") == [2], "until the last part, all is as before")
        let early = #expect(throws: Refusal.self) { try shelf.importPart("", part: 3) }
        #expect(early?.kind == .conflict)
        let wrong = #expect(throws: Refusal.self) { try shelf.importPart(Town.some[0].line + "\nx\ty\n", part: 2) }
        #expect(wrong?.message.contains("line 3") == true, "\(String(describing: wrong))")
        #expect(try shelf.importPart(Town.some[6].line, part: 2).isDone)
        #expect(try shelf.ids("utr").isEmpty)
        #expect(try shelf.ids("lodz") == [6])
        #expect(try shelf.ids("bois") == [7])
    }

    @Test(arguments: [
        ("1\tA", "columns"), ("x" + Town.some[0].line, "column 1"),
        (Town.some[0].line.replacing("52.374", with: "91"), "columns 5 and 6"),
        (Town.some[0].line.replacing("52.374", with: "nan"), "columns 5 and 6"),
        (Town.some[0].line.replacing("741636", with: "-1"), "column 15"),
        (Town.some[0].line.replacing("741636", with: "99999999999999999999"), "column 15"),
        (Town.some[0].line.replacing("Amsterdam\t", with: "\t"), "column 2"), ("", "no populated place"),
        (Town.some[7].line, "no populated place"),
    ]) func invalidTablesAreRefused(_ text: String, _ said: String) throws {
        let shelf = try Shelf()
        let error = #expect(throws: Refusal.self) { try shelf.importPart(text) }
        #expect(error?.kind == .invalidValue)
        #expect(error?.message.contains(said) == true, "\(String(describing: error))")
        #expect(try shelf.ids("utr") == [2])
    }

    @Test func aPlaceIsNamedAfterItsTownOrTheNearestOne() throws {
        try Shelf().queue.read { db in
            var names = try PlaceNames(db)
            #expect(try names.name(of: at(52.36, 4.93)) == "Amsterdam")
            #expect(try names.name(of: at(52.3, 4.98)) == "Amsterdam-Zuidoost")
            #expect(try names.stop(at: at(52.09, 4.87)) == "near Woerden")
            #expect(try names.way(from: at(52.09, 5.11), to: at(52.37, 4.9)) == "Utrecht → Amsterdam")
            #expect(try names.way(from: at(52.09, 5.11), to: at(52.1, 5.12)) == "Utrecht")
            #expect(try names.way(from: at(52.09, 5.11), to: nil) == "Utrecht →")
            #expect(try names.way(from: at(55, 3), to: at(52.37, 4.9)) == "→ Amsterdam")
            #expect(try names.way(from: at(55, 3), to: nil) == nil)
            #expect(try names.name(of: at(52.09, 4.2)) == "Woerden", "44 km away")
        }
    }

    @Test func aPlaceHasTheTimeZoneOfTheNearestTown() throws {
        try Shelf().queue.read { db throws in
            #expect(try PlaceNames.zone(at: at(52.1, 5), in: db) == "Europe/Amsterdam")
            #expect(try PlaceNames.zone(at: at(51.5, 18.5), in: db) == "Europe/Warsaw", "73 km away")
            #expect(try PlaceNames.zone(at: at(-18, -179.9), in: db) == "Pacific/Fiji", "across the 180th meridian")
            #expect(try PlaceNames.zone(at: at(0, 0), in: db) == nil)
            #expect(try PlaceNames.zone(at: at(90, 0), in: db) == nil)
        }
    }

    @Test func withoutAGazetteerPlacesHaveNoName() throws {
        let shelf = try Shelf([])
        #expect(try shelf.ids("amst").isEmpty)
        try shelf.queue.read { db in
            var names = try PlaceNames(db)
            #expect(try names.name(of: at(52.37, 4.9)) == nil)
            #expect(try PlaceNames.zone(at: at(52.37, 4.9), in: db) == nil)
        }
    }

    /// The searched cells contain all places within the distance.
    @Test func cellsContainAllNearbyPlaces() throws {
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<20_000 {
            let spread = [0.3, 2, 170].randomElement(using: &generator).known
            let center = at(
                [Double.random(in: -90...90, using: &generator), 89.95, -89.7].randomElement(using: &generator).known,
                [Double.random(in: -180...180, using: &generator), 179.99, -180].randomElement(using: &generator).known)
            let latitude = center.latitude + Double.random(in: -spread...spread, using: &generator)
            var longitude = center.longitude + Double.random(in: -spread...spread, using: &generator)
            if longitude > 180 { longitude -= 360 }
            if longitude < -180 { longitude += 360 }
            guard (-90...90).contains(latitude) else { continue }
            let place = at(latitude, longitude)
            let distance = Sphere.distance(from: center, to: place)
            guard distance < .kilometers(100) else { continue }
            let cell = Cell(place).number
            #expect(
                Cell.near(center, within: distance + .meters(1)).contains { $0.contains(cell) }, "\(center) \(place)")
        }
    }
}
