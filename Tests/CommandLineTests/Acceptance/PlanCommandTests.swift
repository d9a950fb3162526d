#if Companion
import Foundation
import RPC
import TestSupport
import Testing

/// `waymark plan`, used by Ada and Bob, who are friends.
@Suite(.slow) struct PlanCommandTests {
    private let town: Town
    private let folder: TemporaryFolder

    init() async throws {
        let (town, folder) = (try await Town(), try TemporaryFolder())
        (self.town, self.folder) = (town, folder)
        try await offThePool {
            let (ada, bob) = (try town.resident("ada"), try town.resident("bob"))
            try bob.call("friends.request", ["person": "ada"])
            try ada.call("friends.confirm", ["person": "bob"])
            for (id, who) in [("ada", ada), ("bob", bob)] {
                let session = try JSONEncoder().encode([town.daemon.socket: who.token.known])
                try session.write(to: URL(fileURLWithPath: folder.file(id)))
            }
        }
    }

    /// Runs `waymark` with shell words appended and without a terminal.
    private func waymark(_ words: String, as person: String = "ada") async throws -> Command.Outcome {
        try await Command.shell(
            "\"$WAYMARK\" \(words)",
            environment: ["WAYMARK_SOCKET": town.daemon.socket, "WAYMARK_SESSION": folder.file(person)])
    }

    private func plan(_ words: String, as person: String = "ada") async throws -> Command.Outcome {
        try await waymark("plan \(words)", as: person)
    }

    /// Runs `waymark plan`, expects it to succeed and returns its lines.
    @discardableResult
    private func done(_ words: String, as person: String = "ada") async throws -> [String] {
        let outcome = try await plan(words, as: person)
        #expect(outcome.status == 0, "\(words): \(outcome.text)")
        return outcome.lines
    }

    @Test func aPlanIsFoundByItsIdOrAPrefixOfItsTitle() async throws {
        let made = try await done("create 'Rome by van' --start 2026-05-01T10:00 --json")
        let id = try JSONValue(parsing: Array((made.first ?? "").utf8).span)["id"]?.text
        try await done("create 'Rome on foot' --start 2026-06-01 --end 2026-06-02")
        #expect(try await done("list").map { $0.split(separator: "\t")[1] } == ["Rome on foot", "Rome by van"])
        for name in [id.known, "'rome by'", "'Rome by van'"] {
            #expect(try await done("show \(name)").first == "Rome by van")
        }
        let several = try await plan("show rome")
        #expect(several.status == 1 && several.text.contains("Several plans have this name: Rome on foot ("))
        let none = try await plan("show paris")
        #expect(none.status == 1)
        #expect(none.text.contains("There is no plan paris. \"waymark plan list\" lists the plans."))
        let hidden = try await plan("show \(id.known)", as: "bob")
        #expect(hidden.status == 0, "a friend sees it")
        try await done("create Secret --level me")
        #expect(try await plan("show Secret", as: "bob").status == 1)
    }

    @Test func commandsOfMethodsFindAPlanByItsTitle() async throws {
        try await done("create 'Rome by van' --start 2026-05-01T10:00")
        try await done("update 'rome by' --title 'Rome on foot'")
        try await done("publish 'Rome on foot' true")
        #expect(try await done("journey rome").contains("travelled_m: 0"))
        #expect(
            try await done("copy rome --title Again --start 2027-05-01").contains { $0.contains("to the plan Again (") }
        )
        let unknown = try await plan("publish paris true")
        #expect(unknown.status == 1)
        #expect(unknown.text.contains("There is no plan paris."))
        try await done("ask again bob")
        let asked = try await done("list --of asked", as: "bob").first?.split(separator: "\t").first ?? ""
        let confirmed = try await waymark("members confirm \(asked)", as: "bob")
        #expect(confirmed.text == "plan: \(asked)\n")
    }

    @Test func timesThatClocksSkipOrShowTwiceAreExplained() async throws {
        let moved = "Clocks in Europe/Amsterdam skip 2026-03-29 02:30; it was moved forward to 2026-03-29 03:30."
        let zoned = "--zone Europe/Amsterdam"
        #expect(try await done("create Clocks --start 2026-03-29T02:30 \(zoned)").last == moved)
        #expect(try await done("update clocks --start 2026-03-29T02:30 --end 2026-12-01").last == moved)
        #expect(
            try await done("add activity clocks Soup --tab food --from 2026-03-29T02:30")
                == ["Added Soup to food of Clocks.", moved])
        #expect(
            try await done("add location clocks Inn --from 2026-03-29T02:30")
                == ["Added Inn, without a place, to Clocks.", moved])
        try await done("add activity clocks First --from 2026-10-25T02:30 --to 2026-10-25T02:30+01:00")
        try await done("add activity clocks Second --from 2026-10-25T02:30+01:00")
        try await done("add activity clocks London --from 2026-11-02T10:00 --zone Europe/London")
        let flight = try await waymark(
            "activities add clocks Flight --from 2026-11-03T10:00 --to 2026-11-03T09:30 --to-zone America/New_York")
        #expect(flight.status == 0, "\(flight.text)")
        let shown = try await done("show clocks")
        for line in [
            "  02:30 UTC+2  First, until 02:30 (UTC+1)", "  02:30 UTC+1  Second",
            "  10:00 Europe/London  London", "  10:00  Flight, until 09:30 (America/New_York)",
        ] { #expect(shown.contains(line), "\(shown)") }
    }

    @Test func removingAPlanNeedsConfirmation() async throws {
        try await done("create Rome")
        let refused = try await plan("remove Rome")
        #expect(refused.status == 64)
        #expect(refused.text == "Nothing changed: add --yes to confirm.\n")
        #expect(try await done("list").count == 1)
        #expect(try await done("delete Rome --yes") == ["Removed Rome."])
        let listed = try await plan("list")
        #expect(listed.text == "There are no plans. \"waymark plan create\" creates one.\n")
    }

    @Test func locationsAreImportedFromGPXKMLAndGeoJSON() async throws {
        try await done("create Rome")
        let files = [
            (
                "a.gpx",
                #"<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><wpt lat="41.9" lon="12.5"><name>A</name></wpt></gpx>"#
            ),
            (
                "b.kml",
                "<kml><Placemark><name>B</name><Point><coordinates>12.4,41.8</coordinates></Point></Placemark><Placemark/></kml>"
            ),
            (
                "c.geojson",
                #"{"type":"Feature","geometry":{"type":"Point","coordinates":[12,41]},"properties":{"title":"C"}}"#
            ),
        ]
        var said: [String] = []
        for (name, text) in files { said += try await done("import rome \(try folder.file(name, text))") }
        let one = "1 location added to Rome"
        #expect(said == [one, one + "; 1 other item in the file is not a point", one])
        let mixed = try folder.file(
            "d.gpx",
            #"""
            <gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><wpt lat="41.9" lon="12.6"><name>D</name></wpt>
            <rte><rtept lat="41" lon="12"/></rte><trk><trkseg><trkpt lat="41" lon="12"/></trkseg></trk></gpx>
            """#)
        #expect(try await done("import rome \(mixed)") == [one + "; 2 other items in the file are not points"])
        let exported = try await plan("export rome --format gpx")
        for name in ["<name>A</name>", "<name>B</name>", "<name>C</name>"] { #expect(exported.text.contains(name)) }
        for (text, problem) in [
            ("<kml>", "the XML is damaged"), ("<kml/>", "no points"), ("{", "not JSON"), ("<gpx/>", "no points"),
        ] {
            let refused = try await plan("import rome \(try folder.file("bad", text))")
            #expect(refused.status == 1 && refused.text.contains(problem), "\(text): \(refused.text)")
        }
        #expect(try await done("show rome --at 41.9,12.5").contains("Next: A, 0 m from here."))
    }

    @Test func expensesAreSharedSettledAndExportedAsCSV() async throws {
        try await done("create Rome --currency EUR")
        try await done("ask rome bob --edits")
        try await done("join Rome", as: "bob")
        try await done("expense rome \"'=1+1'\" 10 --day 2026-05-01")
        try await done("expense rome Fuel 3.01 --paid-by bob --share ada --share bob", as: "bob")
        let bad = try await plan("expense rome Beer 1,50")
        #expect(bad.status == 1 && bad.text.contains("comma"))
        for (words, problem) in [
            ("--paid-by zed", "waymark: --paid-by must"), ("--paid-by bob=0.00", "--paid-by must each have paid"),
            ("--split parts --share ada=1.5", "waymark: --share must be a whole number"),
        ] {
            let wrong = try await plan("expense rome Beer 5 \(words)")
            #expect(wrong.status == 1 && wrong.text.contains(problem), "\(wrong.text)")
        }
        let nowhere = try await plan("export rome -o /nowhere/rome.ics")
        #expect(nowhere.text == "waymark: /nowhere/rome.ics: it cannot be written: No such file or directory\n")
        let table = try await plan("export rome --format csv")
        #expect(table.lines.first?.hasPrefix("number,day,title,") == true)
        #expect(table.lines.dropFirst().first?.contains("'=1+1") == true, "\(table.text)")
        let balances = try await done("balances rome")
        #expect(
            balances.last == "Bob Test owes Ada Test 3.49 EUR." || balances.last == "Bob Test owes Ada Test 3.50 EUR.")
        #expect(try await plan("settle rome", as: "bob").status == 64)
        try await done("settle rome --yes", as: "bob")
        #expect(try await done("balances rome").last == "Nobody owes anything.")
        #expect(try await done("leave rome --yes", as: "bob") == ["bob has left Rome."])
        #expect(try await done("members rome").first == "ada\tAda Test\towner\tmember\ttravels")
    }

    /// Creates a plan as Ada and returns its id.
    private func made(_ words: String) async throws -> String {
        let answer = try await done("create \(words) --json").first ?? ""
        return try JSONValue(parsing: Array(answer.utf8).span)["id"]?.text ?? ""
    }

    @Test("OU-4 by command: nothing is overwritten unseen, and both versions are shown")
    func aConflictingUpdateIsRefusedAndShowsBothVersions() async throws {
        let id = try await made("Rome --start 2026-05-01 --end 2026-05-03")
        try await done("ask rome bob --edits")
        try await done("join rome", as: "bob")
        let read = try await done("show rome --json", as: "bob").first ?? ""
        let revision = try JSONValue(parsing: Array(read.utf8).span)["plan"]?["revision"]?.whole ?? 0
        try await done("update \(id) --title Roma --revision \(revision)")
        let late = "update \(id) --title Romans --start 2026-05-02 --end 2026-05-03"
        let refused = try await plan("\(late) --revision \(revision)", as: "bob")
        #expect(refused.status == 1)
        for line in [
            "waymark: Someone has changed the plan \(id) since you read it; look at both versions and save again.",
            "  title: yours is \"Romans\", saved is \"Roma\"",
            "  start: yours is \"2026-05-02\", saved is \"2026-05-01\"",
            "  \"--revision \(revision + 1)\" saves yours over it.",
        ] { #expect(refused.lines.contains(line), "\(refused.text)") }
        #expect(try await done("show roma", as: "bob").first == "Roma")
        try await done("\(late) --revision \(revision + 1)", as: "bob")
        #expect(try await done("show romans").first == "Romans")
    }

    @Test("OU-6 by command: an invited friend, a member, a stranger and a link each see only what they may")
    func membersStrangersAndLinksSeeOnlyWhatTheyMay() async throws {
        let id = try await made("Lake --level members")
        try await done("ask lake bob")
        try await done("add location lake Jetty --at 52.1,5.1 --level members")
        try await done("add location lake \"Ada's hut\" --at 52.2,5.2 --level me")
        #expect(try await done("list --of asked", as: "bob").count == 1, "who is asked sees what it is about")
        #expect(try await plan("balances lake", as: "bob").status == 1)
        try await done("join lake", as: "bob")
        try await done("expense lake Hire 90")
        let seen = try await plan("show lake", as: "bob")
        #expect(seen.text.contains("Jetty") && !seen.text.contains("Ada's"), "\(seen.text)")
        #expect(try await done("balances lake", as: "bob").last == "Bob Test owes Ada Test 45.00 EUR.")
        #expect(
            try await plan("add location lake Mine --at 52,5", as: "bob").status == 1, "who may not edit adds nothing")
        try await offThePool { _ = try town.resident("fay") }
        let stranger = try await plan("show \(id)", as: "fay")
        #expect(stranger.status == 1 && !stranger.text.contains("Lake"))
        let link = try await done("link lake --days 2")
        let secret = link.first?.split(separator: " ").last.map(String.init) ?? ""
        func opened() async throws -> Command.Outcome {
            try await Command.shell(
                "\"$WAYMARK\" call links.open '{\"link\": \"\(secret)\"}'",
                environment: ["WAYMARK_SOCKET": town.daemon.socket, "WAYMARK_SESSION": folder.file("nobody")])
        }
        let open = try await opened()
        #expect(open.status == 0 && open.text.contains("Lake"), "\(open.text)")
        for hidden in ["Ada's", "90.00", "Hire", "expenses"] { #expect(!open.text.contains(hidden), "\(open.text)") }
        try await done("link lake --revoke 1")
        #expect(try await opened().status == 1)
    }

    @Test("OU-7 by command: three currencies at agreed rates, settled in whole cents")
    func currenciesAreSettled() async throws {
        try await done("create World --currency EUR")
        try await done("ask world bob --edits")
        try await done("join world", as: "bob")
        try await done("expense world Hotel 100.00")
        try await done("expense world Fuel 90.01 --currency USD --rate 0.925 --paid-by bob")
        try await done("expense world Tea 12345 --currency JPY --rate 0.0061 --paid-by bob")
        let unrated = try await plan("expense world Beer 1 --currency USD")
        #expect(unrated.status == 1 && unrated.text.contains("--rate"), "\(unrated.text)")
        // The amounts are 100.00, 83.26 and 75.30 EUR: Bob has paid 29.28 EUR more than his half.
        let balances = try await done("balances world")
        #expect(balances.last == "Ada Test owes Bob Test 29.28 EUR.", "\(balances)")
        try await done("settle world --yes")
        #expect(try await done("balances world").last == "Nobody owes anything.")
    }
}
#endif
