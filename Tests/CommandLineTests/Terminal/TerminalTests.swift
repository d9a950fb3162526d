#if Companion
import Foundation
import TestSupport
import Testing

/// What commands show and ask at a terminal.
@Suite(.slow) struct TerminalTests {
    private let folder: TemporaryFolder
    private var store: String { folder.file("store") }

    init() throws { folder = try TemporaryFolder() }

    /// Fills the store with sights, trips and a photo.
    private func fill() async throws {
        for words in [
            ["sight", "import", Fixture.sights],
            ["trip", "import", "fixtures/city-drive.nmea", "fixtures/canal-walk.gpx"],
        ] {
            #expect(try await Command.run(words + ["--store", store]).status == 0)
        }
        let picture = folder.file("picture.png")
        try Data(TestPicture.png).write(to: URL(fileURLWithPath: picture))
        let photo = ["photo", "add", picture, "--subject", "sight/westerkerk", "--caption"]
        let caption = "The tower as it is seen from the bridge over the canal, in the light of the evening sun."
        #expect(try await Command.run(photo + [caption, "--store", store]).status == 0)
    }

    /// Returns the output of a command at a terminal of `columns` columns.
    private func screen(
        _ words: [String], columns: UInt16 = 80, environment: [String: String] = [:]
    ) async throws -> (lines: [String], output: String, status: Int32) {
        let words = words + ["--store", store]
        return try await offThePool {
            let session = try TerminalSession(words, columns: columns, environment: environment)
            let status = session.end()
            return (session.lines, session.output, status)
        }
    }

    private static let lists = [
        ["trip", "list"], ["sight", "list"], ["nearest", "--at", "52.3731,4.8922"],
        ["photo", "list", "--subject", "sight/westerkerk"], ["devices", "list"],
    ]

    @Test(arguments: [80, 120]) func listsHaveHeadingsAndFitTheTerminal(columns: UInt16) async throws {
        try await fill()
        for words in Self.lists {
            let screen = try await screen(words, columns: columns)
            #expect(screen.status == 0, "\(words): \(screen.output)")
            #expect(screen.lines.count > 1, "\(words): \(screen.output)")
            #expect(screen.lines.allSatisfy { $0.count <= Int(columns) }, "\(words): \(screen.output)")
            #expect(screen.output.hasPrefix("\u{1B}[2m"), "\(words): \(screen.output)")
            // A heading is dim and has no digits.
            #expect(screen.lines.first?.contains(where: \.isNumber) == false, "\(words): \(screen.output)")
            let plain = try await self.screen(words, columns: columns, environment: ["NO_COLOR": "1"])
            #expect(!plain.output.contains("\u{1B}"), "\(words): \(plain.output)")
            #expect(plain.lines == screen.lines)
        }
    }

    @Test func longLinesWrapAtATerminalButNotInAPipe() async throws {
        try await fill()
        let information = String(repeating: "The tower was built for a church that people see from afar. ", count: 4)
        for words in [
            ["replay", "fixtures/city-drive.nmea", "--store", store, "--summary"],
            ["sight", "edit", "westerkerk", "--description", information, "--store", store],
        ] {
            #expect(try await Command.run(words).status == 0)
        }
        for (words, column) in [(["events"], 21), (["sight", "show", "westerkerk"], 10)] {
            let pipe = try await Command.run(words + ["--store", store])
            #expect(pipe.lines.contains { $0.count > 60 }, "\(words): \(pipe.text)")
            let screen = try await screen(words, columns: 60)
            #expect(screen.lines.count > pipe.lines.count, "\(words): \(screen.output)")
            #expect(screen.lines.allSatisfy { $0.count <= 60 }, "\(words): \(screen.output)")
            let blanks = String(repeating: " ", count: column)
            #expect(screen.lines.contains { $0.hasPrefix(blanks) && $0.dropFirst(column).first != " " })
            let shown = screen.lines.flatMap { $0.split(separator: " ") }
            #expect(shown == pipe.lines.flatMap { $0.split(separator: " ") }, "\(words): \(screen.output)")
        }
        // Error messages wrap too.
        let failed = try await self.screen(["sight", "show", "no-such-sight"], columns: 30)
        #expect(failed.status == 1 && failed.lines.count > 1)
        #expect(failed.lines.allSatisfy { $0.count <= 30 }, "\(failed.output)")
    }

    @Test func aNarrowListDropsColumnsBeforeItTruncatesTitles() async throws {
        try await fill()
        let (narrow, wide) = (try await screen(["sight", "list"]), try await screen(["sight", "list"], columns: 120))
        #expect(narrow.lines.first?.contains("place") == false && wide.lines.first?.contains("place") == true)
        #expect(!narrow.output.contains("…") && narrow.output.contains("Basilica of Saint Nicholas"))
    }

    @Test func aPipeGetsColumnsWithoutHeadings() async throws {
        try await fill()
        let trips = try await Command.run("trip", "list", "--store", store)
        #expect(
            trips.lines.map { $0.split(separator: "\t").prefix(3).joined(separator: "|") } == [
                "city-drive@2026-05-01T10:00:32.000Z|2026-05-01 10:00|12.3 km",
                "canal-walk@2026-05-02T13:20:00.000Z|2026-05-02 13:20|1388 m",
            ])
        let sights = try await Command.run("sight", "list", "--text", "westerkerk", "--store", store)
        #expect(sights.text.hasPrefix("westerkerk\tWesterkerk\t52.3"), "\(sights.text)")
        for words in Self.lists {
            let outcome = try await Command.run(words + ["--store", store])
            #expect(!outcome.text.contains("\u{1B}"))
            #expect(outcome.errors.isEmpty)
        }
    }

    @Test func anEmptyListSaysSo() async throws {
        _ = try await Command.run("trip", "import", "fixtures/pass-by.gpx", "--store", store)
        for (words, said) in [
            (["sight", "list"], "There are no sights yet"), (["trip", "list", "--from", "today"], "no such trip"),
        ] {
            let outcome = try await Command.run(words + ["--store", store])
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains(said), "\(outcome.errors)")
            #expect(try await Command.run(words + ["--json", "--store", store]).errors.isEmpty)
        }
    }

    @Test func tripsCanBeNamedByNumberOrAsLast() async throws {
        try await fill()
        let list = try await screen(["trip", "list"])
        #expect(list.lines.dropFirst().map { $0.prefix(1) } == ["2", "1"])
        let (drive, walk) = ("city-drive@2026-05-01T10:00:32.000Z", "canal-walk@2026-05-02T13:20:00.000Z")
        for (name, id) in [("last", walk), ("1", walk), ("2", drive), (drive, drive)] {
            let shown = try await Command.run("trip", "show", name, "--store", store)
            #expect(shown.lines.first == "trip      \(id)", "\(shown.text) \(shown.errors)")
        }
        // A number counts all trips, including those that are not listed.
        #expect(try await screen(["trip", "list", "--device", "city-drive"]).lines.last?.prefix(1) == "2")
        let missing = try await Command.run("trip", "show", "3", "--store", store)
        #expect(missing.errors == "waymark: There is no trip 3. \"waymark trip list\" lists the trips.\n")
        let exported = try await Command.run("trip", "export", "last", "-o", folder.file("last.gpx"), "--store", store)
        #expect(exported.errors.hasPrefix("Wrote "), "\(exported.errors)")
        let removed = try await Command.run("trip", "remove", "1", "2", "--yes", "--store", store)
        #expect(removed.lines == ["Removed \(walk).", "Removed \(drive)."])
    }

    @Test func timesAreShownInTheTimeZone() async throws {
        try await fill()
        let words = ["trip", "show", "last", "--store", store]
        let here = try await Command.run(words, zone: "Asia/Kolkata")
        #expect(here.text.contains("start     2026-05-02 18:50:00 UTC+5:30\n"), "\(here.text)")
        let utc = try await Command.run(words + ["--utc"], zone: "Asia/Kolkata")
        #expect(utc.text.contains("start     2026-05-02 13:20:00 UTC\n"), "\(utc.text)")
        let replay = ["replay", "fixtures/pass-by.gpx"]
        #expect(try await Command.run(replay, zone: "America/New_York").text.contains("2026-05-07, times in UTC-4\n"))
        // In Kolkata, 2 May begins at 18:30 UTC on the day before.
        let days = ["trip", "list", "--from", "2026-05-02", "--to", "2026-05-03", "--store", store]
        #expect(try await Command.run(days, zone: "Asia/Kolkata").lines.count == 1)
        #expect(try await Command.run(days, zone: "Pacific/Auckland").lines.isEmpty)
        for word in ["today", "yesterday", "3h"] {
            #expect(try await Command.run("trip", "list", "--from", word, "--store", store).lines.isEmpty)
        }
    }

    @Test func aRemovalIsConfirmedAtTheTerminal() async throws {
        try await fill()
        for (answer, isThere) in [("n", true), ("", true), ("y", false)] {
            let words = ["sight", "remove", "westerkerk", "--store", store]
            let status = try await offThePool {
                let session = try TerminalSession(words)
                try session.wait(for: "Remove the sight Westerkerk (westerkerk)? [y/N]")
                session.type(answer)
                return session.end()
            }
            #expect(status == 0)
            #expect(try await Command.run("sight", "show", "westerkerk", "--store", store).status == (isThere ? 0 : 1))
        }
    }

    @Test func missingParametersArePromptedForAndPasswordsAreHidden() async throws {
        try await fill()
        let words = ["people", "sign-up", "--store", store]
        let environment = ["WAYMARK_SESSION": folder.file("session")]
        let output = try await offThePool {
            let session = try TerminalSession(words, environment: environment)
            for (question, answer) in [
                ("first name:", "Ada"), ("last name:", "Lovelace"), ("email:", "ada@example.org"),
                ("terms [y/N]:", "y"),
                ("password:", "a long way"), ("password again:", "a long way"),
            ] {
                try session.wait(for: question)
                session.type(answer)
            }
            #expect(session.end() == 0, "\(session.output)")
            return session.output
        }
        #expect(output.contains("id: ada-lovelace"), "\(output)")
        #expect(output.contains("Ada\n"))
        #expect(!output.contains("a long way"), "\(output)")
        #expect(!output.contains("ticket"))
    }
}
#endif
