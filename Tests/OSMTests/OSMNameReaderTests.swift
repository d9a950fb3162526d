import Geodesy
import TestSupport
import Testing

@testable import OSM

extension TestExtract {
    /// Reads the names in the extract.
    static func names(in bytes: [UInt8], most: Int = 1000) throws -> (names: [OSMName], reader: OSMNameReader) {
        var reader = OSMNameReader(size: bytes.count, most: most) { offset, count in
            Array(bytes[min(offset, bytes.count)..<min(offset + count, bytes.count)])
        }
        var names: [OSMName] = []
        while let some = try reader.next() { names += some }
        return (names, reader)
    }
}

@Suite struct OSMNameReaderTests {
    /// A village with a street, a park and a bakery.
    private static let village = TestExtract(
        [
            .init(1, 47.1, 9.5, ["place": "village", "name": "Vaduz", "name:en": "Vaduz", "population": "5500"]),
            .init(
                2, 47.11, 9.51,
                ["shop": "bakery", "name": "  Beck ", "alt_name": "Zum Beck;Der Beck", "name:en": "The Baker"]),
            .init(3, 47.12, 9.52), .init(4, 47.13, 9.53), .init(5, 47.14, 9.54),
            .init(6, 47.2, 9.6), .init(7, 47.2, 9.62), .init(8, 47.22, 9.62), .init(9, 47.22, 9.6),
            .init(10, 47.3, 9.7, ["amenity": "bench"]), .init(11, 47.3, 9.7, ["name": "Nothing else"]),
            .init(12, 47.3, 9.7, ["shop": "yes", "name": "Of no word"]),
            .init(13, 47.31, 9.71, ["highway": "bus_stop", "name": "Post", "population": "many"]),
            .init(14, 47.3, 9.7, ["highway": "crossing", "name": "No stop"]),
        ],
        [
            .init([3, 4, 5], ["highway": "residential", "name": "Landstrasse", "ref": "12"]),
            .init([6, 7, 8, 9, 6], ["leisure": "park", "name": "Park"]),
            .init([3, 4], ["highway": "service"]), .init([], ["highway": "path", "name": "Nowhere"]),
            .init([99], ["highway": "path", "name": "Of an unknown node"]),
        ])

    @Test(arguments: [true, false], [true, false])
    func placesStreetsAndPointsAreRead(_ isDense: Bool, _ isPacked: Bool) throws {
        var extract = Self.village
        (extract.isDense, extract.isPacked) = (isDense, isPacked)
        for length in [1, 3, 1000] {
            extract.blockLength = length
            let (names, reader) = try TestExtract.names(in: extract.bytes)
            let told = names.map {
                "\($0.kind) \($0.word) \($0.name) \($0.others) \($0.place.latitudeE7) \($0.place.longitudeE7) \($0.population)"
            }
            #expect(
                told == [
                    "settlement village Vaduz [] 471000000 95000000 5500",
                    #"point bakery Beck ["Zum Beck", "Der Beck", "The Baker"] 471100000 95100000 0"#,
                    "point bus_stop Post [] 473100000 97100000 0",
                    "street residential Landstrasse [] 471300000 95300000 0",
                    "point park Park [] 472100000 96100000 0",
                ])
            #expect(reader.bounds == [9.5, 47.1, 9.71, 47.31])
            #expect(reader.count == 19)
            #expect(!reader.isCut)
            #expect(reader.progress == 1)
        }
    }

    @Test func theAreaIsTheOneOfTheHeader() throws {
        var extract = Self.village
        extract.edges = [9.4, 9.8, 47.4, 47]
        #expect(try TestExtract.names(in: extract.bytes).reader.bounds == [9.4, 47, 9.8, 47.4])
        extract.edges = [9.8, 9.4, 47.4, 47]
        #expect(try TestExtract.names(in: extract.bytes).reader.bounds == [9.5, 47.1, 9.71, 47.31])
    }

    @Test func aStreetOfSeveralWaysIsGivenOnceInAPartOfTheEarth() throws {
        let nodes = (0..<6).map { (id: Int) -> TestExtract.Node in
            TestExtract.Node(Int64(id), 47 + Double(id / 3), 9 + Double(id) / 10_000)
        }
        let ways = nodes.map { TestExtract.Way([$0.id], ["highway": "residential", "name": "Main Street"]) }
        let names = try TestExtract.names(in: TestExtract(nodes, ways).bytes).names
        #expect(names.map(\.place.latitude) == [47, 48])
    }

    /// Compares the reader with a plain look at all nodes and ways, with ids in any order.
    @Test func aReadingInTwoPassesFindsTheSameAsALookAtEverything() throws {
        var generator = SeededGenerator(seed: 11)
        for round in 0..<20 {
            var nodes = (0..<400).map { id in
                TestExtract.Node(
                    Int64(id) * 3 - 500, Double.random(in: -80...80, using: &generator),
                    Double.random(in: -180...180, using: &generator),
                    Bool.random(using: &generator) ? ["name": "N\(id)", "tourism": "hotel"] : [:])
            }
            let ways = (0..<100).map { number in
                let some = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
                    Int64.random(in: 0..<420, using: &generator) * 3 - 500
                }
                return TestExtract.Way(some, ["name": "W\(number)", "highway": "track"])
            }
            if round % 2 == 1 { nodes.shuffle(using: &generator) }
            var expected: Set<String> = []
            for node in nodes where !node.tags.isEmpty {
                expected.insert("\(node.tags["name"] ?? "") \((node.latitude * 1e7).rounded())")
            }
            for way in ways {
                let middle = way.nodes[way.nodes.count / 2]
                guard let node = nodes.first(where: { $0.id == middle }) else { continue }
                expected.insert("\(way.tags["name"] ?? "") \((node.latitude * 1e7).rounded())")
            }
            var extract = TestExtract(nodes, ways)
            extract.blockLength = Int.random(in: 1...500, using: &generator)
            let names = try TestExtract.names(in: extract.bytes).names
            #expect(Set(names.map { "\($0.name) \(Double($0.place.latitudeE7))" }) == expected, "round \(round)")
            #expect(names.count == expected.count)
        }
    }

    @Test(arguments: [0, 1, 3, 4, 5]) func namesBeyondTheLimitAreLeftOut(_ limit: Int) throws {
        let (names, reader) = try TestExtract.names(in: Self.village.bytes, most: limit)
        #expect(names.count == limit)
        #expect(reader.isCut == (limit < 5))
    }

    private static func message(_ bytes: [UInt8]) -> String? {
        do {
            _ = try TestExtract.names(in: bytes)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func whatIsNoExtractIsRefusedWithTheReason() throws {
        var needy = Self.village
        needy.features.append("HistoricalInformation")
        let whole = Self.village
        let lzma = TestExtract.field(1, bytes: Array("OSMHeader".utf8)) + TestExtract.field(3, number: 4)
        for (bytes, reason) in [
            ([], "it is empty"), (Array("<?xml version='1.0'?><osm/>".utf8), "the length of a block in it is damaged"),
            ([0, 0, 0, 0], "the length of a block"), ([0, 0], "cut off"), (needy.bytes, "HistoricalInformation"),
            (whole.block("OSMData", [8, 0]), "it is not an extract in the format .osm.pbf"),
            (whole.block("Other", []) + whole.bytes, "it is not an extract"),
            (TestExtract([]).bytes, "it contains no map data"),
            (Array(whole.bytes.dropLast(10)), "a block is cut off at its end"),
            ([0, 0, 0, UInt8(lzma.count)] + lzma + TestExtract.field(4, bytes: [1, 2]), "another way than zlib"),
        ] as [([UInt8], String)] {
            let message = Self.message(bytes)
            #expect(message?.contains(reason) == true, "\(message ?? "no error")")
        }
        // A block that says that it is larger than it is, and one that is larger than any.
        for size: UInt64 in [1, 7, 1 << 25 + 1, 1 << 40] {
            let content =
                TestExtract.field(2, number: size)
                + TestExtract.field(3, bytes: [0x78, 1, 1, 0, 0, 255, 255, 0, 0, 0, 1])
            let header =
                TestExtract.field(1, bytes: Array("OSMHeader".utf8))
                + TestExtract.field(3, number: UInt64(content.count))
            let message = Self.message([0, 0, 0, UInt8(header.count)] + header + content)
            #expect(message?.contains("a compressed block in it is damaged") == true, "\(message ?? "no error")")
        }
    }

    /// A damaged extract gives other names or an error, and never ends the process.
    @Test func damagedExtractsAreReadWithoutACrash() throws {
        for isDense in [true, false] {
            var extract = Self.village
            (extract.isDense, extract.isPacked) = (isDense, false)
            let good = extract.bytes
            for index in good.indices {
                for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
                    var damaged = good
                    damaged[index] = value
                    let names = (try? TestExtract.names(in: damaged).names) ?? []
                    #expect(names.count <= 20)
                }
                _ = try? TestExtract.names(in: Array(good[..<index]))
            }
        }
    }

    @Test func positionsBeyondTheEarthAreLeftOut() throws {
        let extract = TestExtract([
            .init(1, 91, 0, ["place": "town", "name": "North"]), .init(2, 0, 181, ["place": "town", "name": "East"]),
            .init(3, -90, -180, ["place": "town", "name": "Corner"]),
            .init(.max, 400_000_000_000, 0, ["place": "town", "name": "Far"]),
        ])
        #expect(try TestExtract.names(in: extract.bytes).names.map(\.name) == ["Corner"])
    }

    @Test func nodesAreKeptInWhateverOrderTheyCome() {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<200 {
            let wanted = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                Int64.random(in: -50...50, using: &generator)
            }
            var places = NodePlaces(of: wanted)
            var known: [Int64: Int32] = [:]
            for number in 0..<Int32.random(in: 0...120, using: &generator) {
                let id = Int64.random(in: -60...60, using: &generator)
                known[id] = number
                places.put(id, number, number)
            }
            for id in -60...60 as ClosedRange<Int64> {
                #expect(places[id]?.latitudeE7 == (wanted.contains(id) ? known[id] : nil))
            }
        }
    }
}
