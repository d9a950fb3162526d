import Foundation
import TestSupport
import Testing

/// `decode` and `inspect`.
@Suite(.slow) struct ReadingCommandTests {
    @Test func decodePrintsEachFixAsItWasRead() async throws {
        let decoded = try await Command.run("decode", "fixtures/city-drive.nmea")
        #expect(decoded.status == 0)
        #expect(decoded.lines.count == 1973)
        #expect(
            decoded.lines.first == """
                {"time":"2026-05-01T10:00:08.000Z","lat":52.3780333,"lon":4.900028,"alt":3.4,"speed":0.04,\
                "accuracy":19.4,"hdop":1.02,"mode":3,"satellites":11,"device":"city-drive"}
                """)
        // The jump is there, because no gate filters the fixes.
        #expect(decoded.lines.contains { $0.contains("10:06:35.000Z") })
        #expect(decoded.errors == "fixtures/city-drive.nmea: 1973 fixes, nothing skipped\n")
    }

    @Test func decodeCountsWhatItSkips() async throws {
        let decoded = try await Command.run("decode", "--once", "fixtures/damaged.nmea")
        #expect(decoded.status == 0)
        #expect(decoded.errors.hasPrefix("fixtures/damaged.nmea: \(decoded.lines.count) fixes, skipped: checksum "))
    }

    @Test func decodePrintsFixesBeforeADamageAndGoesOnWithTheNextFile() async throws {
        let decoded = try await Command.run("decode", "fixtures/damaged.gpx", "fixtures/pass-by.gpx")
        #expect(decoded.status == 1)
        #expect(decoded.lines.count == 150 + 45)
        #expect(decoded.errors.contains("waymark: fixtures/damaged.gpx: line 154, column 22: "))
    }

    @Test func decodeTakesTheDateOfADatelessLogFromItsOption() async throws {
        let log = try Fixture.data("dateless.nmea")
        let dated = try await Command.run("decode", "-", "--date", "2026-05-06", input: log)
        #expect(dated.lines.first?.hasPrefix("{\"time\":\"2026-05-06T23:57:00.000Z\"") == true)
        #expect(dated.lines.last?.hasPrefix("{\"time\":\"2026-05-07T00:02:00.000Z\"") == true)
        #expect(dated.errors == "standard input: 151 fixes, nothing skipped\n")
        let timeless = try await Command.run("decode", "-", input: log)
        #expect(timeless.status == 0)
        #expect(timeless.lines.first?.hasPrefix("{\"lat\":52.36") == true)
    }

    @Test(arguments: [
        (
            "pass-by.gpx",
            """
            {"format":"gpx","tracks":1,"segments":1,"points":45,"routes":0,"route_points":0,"waypoints":0,\
            "first_time":"2026-05-07T09:00:00.000Z","last_time":"2026-05-07T09:14:40.000Z",\
            "min_time":"2026-05-07T09:00:00.000Z","max_time":"2026-05-07T09:14:40.000Z","length":23734.3,\
            "bbox":{"min_lat":52.9374963,"min_lon":5.0544983,"max_lat":53.0689833,"max_lon":5.3319912},"malformed":{}}
            """
        ),
        (
            "dateless.nmea",
            """
            {"format":"nmea","tracks":1,"segments":1,"points":151,"routes":0,"route_points":0,"waypoints":0,\
            "length":1288.6,"bbox":{"min_lat":52.3669128,"min_lon":4.8924228,"max_lat":52.3771805,\
            "max_lon":4.8984013},"malformed":{}}
            """
        ),
    ])
    func inspectPrintsTheContentsOfAFileAsJSON(file: String, object: String) async throws {
        let inspected = try await Command.run("inspect", "fixtures/\(file)", "--json")
        #expect(inspected.status == 0)
        #expect(inspected.text == object + "\n")
    }

    @Test func inspectPrintsRowsOfText() async throws {
        let inspected = try await Command.run("inspect", "fixtures/canal-walk.gpx")
        #expect(
            inspected.text.hasPrefix(
                """
                fixtures/canal-walk.gpx
                  format     GPX
                  tracks     1
                  segments   2
                  points     684
                  from       2026-05-02T13:20:00.000Z
                  to         2026-05-02T13:44:02.000Z
                  lasting    24 min 2 s
                """))
    }

    @Test func inspectReportsThePointsBeforeADamage() async throws {
        let inspected = try await Command.run("inspect", "fixtures/damaged.gpx", "--json")
        #expect(inspected.status == 1)
        #expect(inspected.text.contains("\"points\":150,"))
        #expect(inspected.errors.hasPrefix("waymark: fixtures/damaged.gpx: line 154, column 22: "))
    }

    @Test func everyCommandHasHelp() async throws {
        for command in [
            [], ["replay"], ["decode"], ["inspect"], ["nearest"], ["sight", "import"], ["sight", "list"],
            ["trip", "list"], ["trip", "show"], ["trip", "export"],
        ] {
            let help = try await Command.run(command + ["--help"])
            #expect(help.status == 0)
            #expect(help.text.contains("USAGE: " + (["waymark"] + command).joined(separator: " ")))
        }
    }

    @Test func aWrongSourceOfTheDaemonIsWrongUsage() async throws {
        let outcome = try await Command.run("daemon", "--source", "bogus")
        #expect(outcome.status == 64)
        #expect(outcome.errors.hasPrefix("waymark: --source: \"bogus\" is not "), "\(outcome.errors)")
    }

    @Test func noControlCharacterReachesTheTerminal() async throws {
        let folder = try TemporaryFolder()
        let configuration = try folder.file(
            "w.yaml", "store: \"\(folder.file("a"))\\e[2J\\x9b31m\"\nsocket: \"/x\\e]0;y\"\n")
        let device = try folder.file("\u{9B}31m.gpx", "<gpx><trk><trkseg><trkpt lat='1' lon='2'/></trkseg></trk></gpx>")
        for arguments in [["daemon", "--check", "--config", configuration], ["decode", device], ["inspect", device]] {
            let outcome = try await Command.run(arguments)
            let said = outcome.text + outcome.errors
            #expect(said.count > 20)
            #expect(!said.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control })
        }
    }
}
