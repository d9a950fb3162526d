#if Companion
import Foundation
import TestSupport
import Testing

/// The examples in the commands' help texts run exactly as written.
@Suite(.slow) struct ExamplesTests {
    /// Words appended to an example so that it ends, gets the answers to its prompts, or needs no receiver.
    private static let endings = [
        "waymark init": " --yes",
        "waymark daemon --source van=gpsd://localhost": " --check",
        "waymark watch --type 'geofence.*' --device van": " --after 0 --once",
        "waymark watch --type notification": " --after 0 --once",
        "waymark votes open \"Where do we eat?\" 3 10m - Pizza Soup Salad": " <<<2709",
    ]
    /// Examples that are not run: one needs a receiver, two the ids of a list and of its entry, two a browser,
    /// ``BeginningTests`` covers the demonstrations, and ``MapCommandTests`` the imports of maps, which need tilemaker and
    /// an extract of OpenStreetMap.
    private static let left = [
        "waymark decode --once udp://:10110", "waymark demo", "waymark demo --speed 300", "waymark demo --web",
        "waymark map import region.osm.pbf", "waymark map import region.osm.pbf --name home --store boat.sqlite",
        "waymark push remove 3", "waymark push test 3",
        "waymark tasks add 7k2mq4wz9bcd Raincoats --day 2026-05-31", "waymark tasks update 9bcd7k2mq4wz --done true",
    ]
    private static let heading = "EXAMPLES:\n"
    /// Commands that also judge the machine and exit with 1 if something is wrong with it.
    private static let judging = ["waymark status", "waymark doctor"]

    @Test func everyCommandHasExamplesThatRun() async throws {
        let commands = try #require(try await ParserDump.read().subcommands).filter { $0.commandName != "help" }
        var examples: (verbs: [String], others: [String]) = ([], [])
        for command in commands {
            try await collect(command, after: [], into: &examples)
        }
        #expect(examples.verbs.count > 50 && examples.others.count > 80)
        // Examples of verbs first, because the others change and remove what the verbs need.
        let script = (examples.verbs + examples.others).filter { !Self.left.contains($0) }.map { example in
            let line = example + (Self.endings[example] ?? "")
            let isJudging = Self.judging.contains { example.hasPrefix($0) }
            return """
                { \(line); } >out 2>&1 </dev/null || { s=$?; \(isJudging ? "[ $s = 1 ] ||" : "") { echo 'failed: \(
                    example.replacing("'", with: "'\\''"))'; cat out; }; }
                """
        }
        let told = try await ShellPlay.output(
            of: Self.world + script.joined(separator: "\n") + "\necho all were run\n",
            beside: [
                "view.jpg": Data(TestPicture.png), "takeout.zip": Data(Self.takeout), "region.pmtiles": TestMap.pmtiles,
            ])
        #expect(told.hasSuffix("all were run\n"))
        #expect(!told.contains("failed:"), "\(told)")
    }

    /// An archive of Google's with a journey.
    private static let takeout: [UInt8] = {
        let locations = (0..<60).map { minute in
            """
            {"latitudeE7":523700000,"longitudeE7":\(48_900_000 + 100_000 * minute),\
            "timestamp":"2024-06-10T08:\(minute < 10 ? "0" : "")\(minute):00Z"}
            """
        }
        return ZIPFile.storing([
            ("Takeout/Location History/Records.json", "{\"locations\":[\(locations.joined(separator: ","))]}")
        ])
    }()

    /// Collects the examples of a command and of its subcommands.
    private func collect(
        _ command: ParserDump.Command, after words: [String], into examples: inout (verbs: [String], others: [String])
    ) async throws {
        guard command.shouldDisplay, command.commandName != "help" else { return }
        let words = words + [command.commandName]
        // The examples of verbs that are methods of the socket are only in the help.
        var help = command.discussion ?? ""
        if !help.contains(Self.heading) { help = try await Command.run(words + ["--help"]).text }
        let found = help.components(separatedBy: Self.heading).dropFirst().first.map { text in
            text.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("  ") }
                .map { $0.dropFirst(2) }.joined(separator: "\n").replacing(#/\ *\\\n\ */#, with: " ").split(
                    separator: "\n"
                )
                .map(String.init)
        }
        let below = command.subcommands ?? []
        if below.isEmpty { #expect(found?.isEmpty == false, "\(words): its help has no example") }
        for example in found ?? [] {
            #expect(example.hasPrefix("waymark \(words.joined(separator: " "))"), "\(example)")
        }
        if words.count == 1, help.contains("<verb>") {
            examples.verbs += found ?? []
        } else {
            examples.others += found ?? []
        }
        for command in below { try await collect(command, after: words, into: &examples) }
    }

    /// The setup script: a van, a boat and a bike; four people with Ada as the caller; plans, sights and posts.
    private static let world = #"""
        export HOME=$PWD
        cp fixtures/amsterdam.sights.csv sights.csv
        cp fixtures/canal-walk.gpx walk.gpx
        cp fixtures/city-drive.nmea drive.nmea
        cp view.jpg dress.jpg
        cp view.jpg coat.jpg
        echo '<gpx version="1.1" creator="w"><wpt lat="52.37" lon="4.9"><name>Lock</name></wpt></gpx>' >places.gpx
        echo '{"type":"Feature","properties":{"title":"Park"},"geometry":{"type":"Polygon",
        "coordinates":[[[4.86,52.35],[4.88,52.35],[4.88,52.36],[4.86,52.35]]]}}' >parks.geojson
        printf '2759794\tAmsterdam\tAmsterdam\t\t52.37\t4.89\tP\tPPLC\tNL\t\t07\t0363\t\t\t741636\t\t13\t' >cities500.txt
        printf 'Europe/Amsterdam\t2023-08-15\n' >>cities500.txt
        waymark sight import sights.csv --store boat.sqlite
        waymark replay drive.nmea --store boat.sqlite >out
        cp boat.sqlite damaged.sqlite
        now=$(date +%s)
        {
          echo '<gpx version="1.1" creator="bike" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>'
          for fix in $(seq 20); do
            time=$(date -ud "@$((now - 100 + 5 * fix))" +%FT%TZ)
            echo "<trkpt lat=\"52.37\" lon=\"4.89\"><time>$time</time></trkpt>"
          done
          echo '</trkseg></trk></gpx>'
        } >square.gpx
        cat >waymark.yaml <<END
        store: $PWD/van.sqlite
        socket: $PWD/van.sock
        mail:
          file: $PWD/mail
        sources: ["van=$PWD/drive.nmea?speed=max", "bike=$PWD/square.gpx?speed=max"]
        END
        waymark sight import sights.csv --store van.sqlite
        waymark daemon --config waymark.yaml 2>log &
        export WAYMARK_SOCKET=$PWD/van.sock
        until waymark trip list 2>out | grep -q van; do sleep 0.2; done
        for trip in walk.gpx fixtures/pass-by.gpx fixtures/antimeridian-sail.gpx; do
          waymark trip import $trip --device boat
        done
        as() { export WAYMARK_SESSION=$PWD/$1; }
        code() { until grep -A40 "<$1>" mail 2>out | grep -oE '\b[0-9]{6}\b' | tail -n 1 | grep .; do sleep 0.2; done; }
        for who in dan cai bob ada; do
          as $who
          waymark people sign-up $who Hope $who@example.org --terms --username $who --password 'a long way' \
            --password-again 'a long way'
          waymark people prove "$(code $who@example.org)"
          waymark devices join van
        done
        waymark devices join bike
        for who in bob cai; do
          waymark people follow $who
          waymark friends request $who
          as $who
          waymark friends confirm ada
          as ada
        done
        plan() { waymark plan create "$@" --json | grep -oE '"id":"[^"]*"' | head -n 1 | cut -d'"' -f4; }
        as bob
        waymark plan ask "$(plan "Texel by bike" --start 2026-06-01 --end 2026-06-07)" ada
        as ada
        waymark sight add "Good parking" --description "Flat and quiet."
        PLAN=$(plan "Canals by van" --start 2026-05-01 --end 2026-05-03)
        waymark plan add location "$PLAN" Westerkerk --at 52.3745,4.8835
        waymark plan ask "$PLAN" bob
        as bob
        waymark plan join "Canals by van"
        as ada
        waymark plan expense "$PLAN" Bread 4.20 --paid-by bob
        waymark post add "For the opera" --photo dress.jpg --name "Trench coat" --by Bally --price 890.00 --currency EUR
        as bob
        waymark post add "By the canal"
        as ada

        """#
}
#endif
