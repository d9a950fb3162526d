#if Companion
import Foundation
import TestSupport
import Testing

/// The commands of the guide pages, run exactly as written.
@Suite(.slow) struct GuideTests {
    /// Returns the commands of a page, with all its blocks joined.
    private static func commands(of page: String) throws -> String {
        try blocks(of: "Sources/Program/Daemon/Daemon.docc/\(page).md").joined()
    }

    /// Returns a file's blocks of shell commands.
    private static func blocks(of path: String) throws -> [String] {
        let text = try String(contentsOf: Command.repository.appending(path: path), encoding: .utf8)
        return text.matches(of: /```sh\n((?s).*?)```/).map { String($0.1) }
    }

    /// Runs the commands of a page in a new folder and returns their output.
    private static func play(_ page: String) async throws -> String {
        try await ShellPlay.output(of: commands(of: page))
    }

    @Test func theBrowserGuideMissesNoEventAcrossARestart() async throws {
        // The port depends on the process, so that two test runs at once do not collide.
        let port = 20_000 + Int(ProcessInfo.processInfo.processIdentifier) % 10_000
        let commands = try Self.commands(of: "InABrowser").replacing("8470", with: "\(port)")
        let told = try await ShellPlay.output(of: commands)
        #expect(told.contains(#""result":{"name":"waymark""#), "\(told)")
        #expect(told.contains(#""id":4,"result":{"person":{"id":"ann""#), "\(told)")
        let end = try #require(told.firstMatch(of: /(\d+) events, (\d+) twice, the last (\d+)/), "\(told)")
        #expect(end.1 == end.3)
        #expect(end.2 == "0")
        #expect(Int(end.1) ?? 0 > 60)
    }

    /// Runs all blocks except those that install, build or name the executable.
    @Test(arguments: [
        ("README.md", 2, ["● enter", "canal-walk@2026-05-02T13:20:00.000Z", "Royal Palace"]),
        ("Sources/Program/Daemon/Daemon.docc/TheDaemon.md", 1, ["● enter"]),
        (
            "Sources/Program/Daemon/Daemon.docc/Recordings.md", 12,
            ["Westerkerk", "canal-walk@2026-05-02T13:20:00.000Z", "would be new", "imported"]
        ),
        ("Sources/Program/Daemon/Daemon.docc/Reports.md", 1, ["2026-05-07", "Visit to a customer"]),
    ])
    func theCommandsOfAPageRun(path: String, count: Int, words: [String]) async throws {
        let blocks = try Self.blocks(of: path).filter { block in
            !block.contains("sudo ") && !["alias ", "swift build "].contains(where: block.hasPrefix)
        }
        #expect(blocks.count == count)
        let told = try await ShellPlay.output(of: blocks.joined())
        for said in words { #expect(told.contains(said), "\(said): \(told)") }
    }

    /// The recipes in Python need packages that may be missing; `.ci/run` installs them and runs those.
    @Test func theRecipesForOtherProgramsReadTheViews() async throws {
        let told = try await Self.play("YourData")
        for said in ["│ city-drive │ 2026-05-01T10:00:32.000Z │ 12.3 │ 1", "2026-05-01T10:10:59.000Z|Van Gogh Museum"] {
            #expect(told.contains(said), "\(said): \(told)")
        }
    }

    @Test func theCrewGuidePrintsTheExpectedOutput() async throws {
        let told = try await Self.play("ACrew")
        for said in [
            "uses: 4", "person: bob-hope", "friend: ada", "device: van", "name: Ada Lovelace",
            "text: Bob Hope is your friend now.", "used: 1", "The code holds no more.", "quiet: 22:00-07:00",
            "cool_down: 3600",
        ] {
            #expect(told.contains(said), "\(said): \(told)")
        }
        #expect(!told.contains("token"))
    }

    @Test func theDayGuidePrintsTheExpectedOutput() async throws {
        let told = try await Self.play("ADay")
        for said in [
            "person: ada", "text: Bob Hope asks to be your friend.", "✉ told     You have a new follower.",
            "title: Bob's bench",
            "destination: waymark://sight/bobs-bench", "text: Worth every step.", "histogram: 0, 0, 0, 0, 1", "rank: 1",
        ] {
            #expect(told.contains(said), "\(said)")
        }
    }

    @Test("VO-5 to VO-15 by the commands of the guide, exactly as written")
    func theVoteGuidePrintsTheExpectedOutput() async throws {
        let told = try await Self.play("AVote")
        for said in [
            "colour: orange", "status: Something is wrong", "email: rob@example.org", "ballot: not counted",
            "text: The vote Where do we eat? has ended. Pizza has won.", "winners: 1", "tie: no",
            "names: Ada Lovelace, Bob Hope, Cai Ling", "That is not the passcode of the vote",
        ] {
            #expect(told.contains(said), "\(said)\n\(told)")
        }
    }

    @Test("GT-9 to GT-15 by the commands of the guide, exactly as written")
    func thePostGuidePrintsTheExpectedOutput() async throws {
        let told = try await Self.play("APost")
        for said in [
            "For the opera tonight", "brands: Levi's, Bally", "voting: yes", "kind: outfit", "following: no",
            "verdict: change it", "You have already voted on the post", "tie",
            "Trench coat, 1290.00 EUR", "amount: 1290.00", "link: https://shop.example/coat", "Once more",
            "text: Bob Hope suggests Trench coat: “For the autumn”", "email: cai@example.org",
            "Trench coat: waymark://product/1", "invites you", "flags: 2", "Removed 1.", "There is no post 1.",
        ] {
            #expect(told.contains(said), "\(said)\n\(told)")
        }
    }

    @Test func theJourneyGuidePrintsTheExpectedOutput() async throws {
        let told = try await Self.play("AJourney")
        for said in [
            "3 places imported, of 3 lines", "Amsterdam\tNL\t741636", "Added Castle of Woerden, 52.085° N 4.8833° E",
            "2 locations added to Canals by van", "You are a member of Canals by van.",
            "Next: Castle of Woerden, 16.3 km from here to the west; planned for Friday 1 May 15:00.",
            "1 to 3 May 2026, to Amsterdam, times of Europe/Amsterdam",
            "18:30  Pancakes, The Pancake Bakery, booked (17)",
            "23:50  Ferry across the IJ, Centraal → Buiksloterweg by ferry, until 00:05 next day",
            "Westerkerk, passed 2026-05-02 15:28, stayed",
            "Ada Lovelace owes Bob Hope 45.54 EUR.", "1 stop\tAmsterdam", ":\"Amsterdam\"}", "Nobody owes anything.",
            "number,day,title,category,tab,amount", "\tonce\tada",
            "Canals again",
            "Removed Canals again.",
        ] {
            #expect(told.contains(said), "\(said): \(told)")
        }
    }
}
#endif
