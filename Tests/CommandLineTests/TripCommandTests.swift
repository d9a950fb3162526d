import Foundation
import TestSupport
import Testing

@Suite(.slow) struct TripCommandTests {
    private let trips: TwoTrips
    private var folder: TemporaryFolder { trips.folder }
    private var store: String { trips.store }

    init() async throws { trips = try await TwoTrips() }

    private func trip(_ arguments: String...) async throws -> Command.Outcome { try await trips.trip(arguments) }

    @Test func tripsAreListedTheNewestLast() async throws {
        struct Trip: Decodable { var id: String }
        func ids(_ options: String...) async throws -> [String] {
            try await Command.run(["trip", "list", "--json", "--store", store] + options).decoded(as: Trip.self)
                .map(\.id)
        }
        #expect(try await ids() == [TwoTrips.walk, TwoTrips.drive])
        #expect(try await ids("--limit", "1") == [TwoTrips.drive])
        #expect(try await ids("--device", "canal-walk") == [TwoTrips.walk])
        #expect(try await ids("--device", "nobody").isEmpty)
        let lines = try await trip("list").lines
        #expect(lines.count == 2)
        #expect(lines.last?.hasPrefix(TwoTrips.drive) == true)
        #expect(lines.last?.contains("23.7 km") == true)
    }

    @Test func aTripIsShownWithItsStops() async throws {
        struct Trip: Decodable {
            var id: String
            var device: String
            var distance: Double
            var stops: Int
            var stopList: [Stop]

            private enum CodingKeys: String, CodingKey { case id, device, distance, stops, stopList = "stop_list" }
        }
        let shown = try #require(try await trip("show", TwoTrips.walk, "--json").decoded(as: Trip.self).first)
        #expect(shown.id == TwoTrips.walk)
        #expect(shown.device == "canal-walk")
        #expect(shown.stops == 1)
        #expect(shown.stopList.count == 1)
        let text = try await trip("show", TwoTrips.walk).text
        #expect(text.contains("start     2026-05-02 13:20:00 UTC\n"))
        #expect(text.contains("stop      2026-05-02 13:31:"))
    }

    @Test func anUnknownTripIsReportedAndNothingIsWritten() async throws {
        let target = folder.file("out.gpx")
        for arguments in [["show", "nope"], ["export", "nope"], ["export", TwoTrips.walk, "nope", "-o", target]] {
            let outcome = try await Command.run(["trip"] + arguments + ["--store", store])
            #expect(outcome.status == 1)
            #expect(outcome.errors == "waymark: There is no trip nope. \"waymark trip list\" lists the trips.\n")
            #expect(outcome.output.isEmpty)
        }
        #expect(!FileManager.default.fileExists(atPath: target))
        #expect(try folder.names.allSatisfy { !$0.hasSuffix(".part") })
    }

    @Test func anExportedGPXFileHasTheSamePoints() async throws {
        let exported = try await trip("export", TwoTrips.drive)
        #expect(exported.status == 0)
        #expect(exported.errors.isEmpty)
        let again = try await Command.run("inspect", "-", "--json", input: exported.output)
        let before = try await Command.run("inspect", "fixtures/pass-by.gpx", "--json")
        #expect(again.status == 0)
        #expect(again.text == before.text)
        func decoded(_ outcome: Command.Outcome) -> [Substring] {
            outcome.lines.compactMap { $0.split(separator: ",\"alt\"").first }
        }
        let exportedFixes = decoded(try await Command.run("decode", "-", input: exported.output))
        #expect(exportedFixes == decoded(try await Command.run("decode", "fixtures/pass-by.gpx")))
        #expect(exportedFixes.count == 45)
    }

    @Test func severalTripsAreExportedAsTracksOfOneFile() async throws {
        let exported = try await trip("export", TwoTrips.drive, TwoTrips.walk)
        let inspected = try await Command.run("inspect", "-", "--json", input: exported.output)
        #expect(inspected.text.contains("\"tracks\":2,"))
        #expect(inspected.text.contains("\"first_time\":\"2026-05-07T09:00:00.000Z\""))
    }

    @Test func tripsAreExportedByDeviceAndTime() async throws {
        func tracks(_ options: String...) async throws -> [String] {
            let exported = try await Command.run(["trip", "export", "--store", store] + options)
            #expect(exported.status == 0)
            return exported.text.matches(of: /<trk><name>([^<]*)</).map { String($0.1) }
        }
        #expect(try await tracks("--all") == [TwoTrips.walk, TwoTrips.drive])
        #expect(try await tracks("--device", "pass-by") == [TwoTrips.drive])
        #expect(try await tracks("--from", "2026-05-02", "--to", "2026-05-07T09:00:00Z") == [TwoTrips.walk])
        #expect(try await tracks("--from", "2026-05-07T11:00:00+02:00") == [TwoTrips.drive])
        let nothing = try await trip("export", "--to", "2020-01-01")
        #expect(nothing.status == 1)
        #expect(nothing.errors.hasPrefix("waymark: No completed trip began in that time"))
        for usage in [[], ["--all", TwoTrips.walk], ["--device", "van", "--all"], ["--all", "--from", "yesterday"]] {
            #expect(try await Command.run(["trip", "export", "--store", store] + usage).status == 64)
        }
    }

    @Test func aSimplifiedExportHasFewerPoints() async throws {
        func points(_ options: String...) async throws -> Int {
            let exported = try await Command.run(
                ["trip", "export", TwoTrips.walk, "--store", store, "--format", "csv"] + options)
            return exported.lines.count - 1
        }
        let counts = [
            try await points(), try await points("--simplify", "0"), try await points("--simplify", "5"),
            try await points("--simplify", "50"),
        ]
        #expect(counts[0] == counts[1])
        #expect(counts[2] < counts[0] / 3)
        #expect(counts[3] < counts[2])
        #expect(try await trip("export", TwoTrips.walk, "--simplify", "-1").status == 64)
    }

    @Test func theOtherFormatsHaveTheSameNumberOfPoints() async throws {
        struct Collection: Decodable {
            struct Feature: Decodable {
                struct Geometry: Decodable {
                    var type: String
                    var coordinates: [[Double]]
                }
                var geometry: Geometry
            }
            var type: String
            var features: [Feature]
        }
        let geoJSON = try await trip("export", TwoTrips.drive, "--format", "geojson")
        let collection = try JSONDecoder().decode(Collection.self, from: geoJSON.output)
        #expect(collection.type == "FeatureCollection")
        #expect(collection.features.first?.geometry.type == "LineString")
        #expect(collection.features.first?.geometry.coordinates.count == 45)

        let csv = try await trip("export", TwoTrips.drive, "--format", "csv")
        let rows = csv.text.split(whereSeparator: \.isNewline)
        #expect(rows.first == "time,lat,lon,alt_m,speed_mps,track_deg,accuracy_m,segment")
        #expect(rows.count == 46)

        let kml = try await trip("export", TwoTrips.drive, "--format", "kml")
        #expect(kml.text.components(separatedBy: "<gx:coord>").count == 46)
        #expect(kml.text.components(separatedBy: "<when>").count == 46)
        #expect(kml.text.hasSuffix("</kml>\n"))

        let unknown = try await trip("export", TwoTrips.drive, "--format", "shp")
        #expect(unknown.status == 64)
        #expect(unknown.errors.contains("'shp' is invalid for '--format"))
    }

    @Test func anExportReplacesAFileAtomically() async throws {
        let target = folder.file("out.gpx")
        let whole = try await trip("export", TwoTrips.drive)
        for _ in 0..<2 {
            let exported = try await trip("export", TwoTrips.drive, "-o", target)
            #expect(exported.status == 0)
            #expect(exported.errors == "Wrote 12 kB to \(target).\n")
            #expect(exported.output.isEmpty)
            #expect((try? Data(contentsOf: URL(fileURLWithPath: target))) == whole.output)
        }
        #expect(try folder.names.allSatisfy { !$0.hasSuffix(".part") })
    }

    @Test func exportingToAFolderIsRefusedAndKeepsItsFiles() async throws {
        let target = folder.file("journeys")
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
        _ = try folder.file("journeys/precious.txt", "kept")
        let exported = try await trip("export", TwoTrips.drive, "-o", target)
        #expect(exported.status == 1)
        #expect(exported.errors.hasPrefix("waymark: \(target): "))
        #expect((try? String(contentsOfFile: "\(target)/precious.txt", encoding: .utf8)) == "kept")
    }

    @Test func aTargetThatCannotBeCreatedIsReportedWithItsPath() async throws {
        let target = folder.file("nowhere/out.gpx")
        let exported = try await trip("export", TwoTrips.drive, "-o", target)
        #expect(exported.status == 1)
        #expect(exported.errors.hasPrefix("waymark: \(target): "))
    }

    @Test(.disabled(if: ChildProcess.isSanitized, "the limit of the file also ends the sanitizer"))
    func anExportTooLargeForTheDiskKeepsTheOldFile() async throws {
        let target = try folder.file("out.gpx", "the old one")
        // 33 KiB are enough to read the store, but not for a trace of 546 points.
        let exported = try await Command.run(
            ["trip", "export", TwoTrips.walk, "-o", target, "--store", store], fileLimit: 66)
        #expect(exported.status == 1)
        #expect(exported.errors.hasPrefix("waymark: \(target): "))
        #expect((try? String(contentsOfFile: target, encoding: .utf8)) == "the old one")
        #expect(try folder.names.allSatisfy { !$0.hasSuffix(".part") })
    }
}
