import Foundation
import GRDB
import TestSupport
import Testing

@Suite(.slow) struct WatchCommandTests {
    private let folder: TemporaryFolder
    private let recordings = ["fixtures/pass-by.gpx", "fixtures/canal-walk.gpx"]

    init() throws { folder = try TemporaryFolder() }

    /// Runs a replay into the daemon's store and returns its outcome.
    private func replay(_ recordings: [String], _ options: String...) async throws -> Command.Outcome {
        let replay = try await Command.run(
            ["replay"] + recordings + ["--sights", Fixture.sights, "--store", folder.store] + options)
        #expect(replay.status == 0)
        return replay
    }

    @Test func eachEventIsTheLineThatAReplayPrints() async throws {
        let printed = try await replay(recordings, "--json")
        let daemon = try await RunningDaemon(in: folder)
        let watched = try await daemon.ask(
            "watch", "--after", "0", "--json", "--limit", "\(printed.lines.count)")
        #expect(watched.status == 0)
        #expect(watched.errors.isEmpty)
        #expect(printed.lines.count > 20)
        #expect(watched.output == printed.output)
    }

    @Test func textOutputIsTheSameAsThatOfAReplay() async throws {
        let printed = try await replay(recordings, "--no-summary")
        let count = printed.lines.count { !$0.hasSuffix("UTC") }
        let daemon = try await RunningDaemon(in: folder)
        let watched = try await daemon.ask("watch", "--after", "0", "--limit", "\(count)")
        #expect(count > 20)
        #expect(watched.text == printed.text)
    }

    @Test func optionsSelectTheEvents() async throws {
        let printed = try await replay(recordings, "--json").decoded(as: EventLine.self)
        let daemon = try await RunningDaemon(in: folder)
        func seqs(_ options: String...) async throws -> [Int?] {
            let watched = try await daemon.ask(["watch", "--json"] + options)
            #expect(watched.status == 0)
            return try watched.decoded(as: EventLine.self).map(\.seq)
        }
        let trips = printed.filter { $0.type == "trip.end" }.map(\.seq)
        #expect(trips.count == 2)
        #expect(try await seqs("--after", "0", "--type", "trip.end", "--limit", "2") == trips)
        let walk = printed.filter {
            $0.device == "canal-walk" && $0.type.hasPrefix("trip.")
                || $0.device == "canal-walk" && $0.type.hasPrefix("stop.")
        }
        #expect(
            try await seqs(
                "--after", "0", "--type", "trip.*", "--type", "stop.*", "--device", "canal-walk", "--limit",
                "\(walk.count)") == walk.map(\.seq))
        #expect(try await seqs("--after", "7", "--once") == [8])
    }

    @Test func aRestartOfTheDaemonLosesAndRepeatsNoEvent() async throws {
        var printed = try await replay([recordings[0]], "--json").lines
        var daemon = try await RunningDaemon(in: folder)
        let watch = try RunningCommand("watch", "--after", "0", "--json", "--socket", folder.socket)
        var watched = printed.compactMap { _ in watch.line() }
        #expect(try await daemon.stop() == .exit(0))
        printed += try await replay([recordings[1]], "--json").lines
        daemon = try await RunningDaemon(in: folder)
        while watched.count < printed.count, let line = watch.line() { watched.append(line) }
        #expect(watched == printed)
        #expect(daemon.log.contains("serving"))
        kill(watch.processID, SIGINT)
        let (rest, status) = try watch.finish()
        #expect(rest.isEmpty)
        #expect(status == 0)
    }

    @Test func eventsThatAreNoLongerKeptAreReported() async throws {
        let printed = try await replay(recordings, "--json").lines
        try await DatabaseQueue(path: folder.store).write { try $0.execute(sql: "DELETE FROM event WHERE seq <= 3") }
        let daemon = try await RunningDaemon(in: folder)
        let watched = try await daemon.ask("watch", "--after", "1", "--once", "--json")
        #expect(watched.errors == "waymark: events up to 3 are no longer kept; going on with 4\n")
        #expect(watched.lines == [printed[3]])
        #expect(watched.status == 0)
    }

    @Test func aReaderThatClosesThePipeIsNotAnError() async throws {
        _ = try await replay(recordings, "--json")
        let daemon = try await RunningDaemon(in: folder)
        let ended = try await Command.shell(
            "( \"$WAYMARK\" watch --after 0 --json --limit 20; echo \"ended with $?\" >&2 ) | true",
            environment: ["WAYMARK_SOCKET": daemon.socket])
        #expect(ended.text == "ended with 0\n")
    }

    @Test func aMissingDaemonIsReportedWithItsSocketAndHowToStartIt() async throws {
        let watched = try await Command.run("watch", "--socket", folder.socket)
        #expect(watched.status == 1)
        #expect(watched.errors.contains(folder.socket))
        #expect(watched.errors.contains("\"waymark daemon\""))
    }

    @Test(arguments: [["--limit", "0"], ["--once", "--limit", "2"], ["--after", "x"], ["--type", ""]])
    func wrongUsageExitsWith64(options: [String]) async throws {
        #expect(try await Command.run(["watch"] + options).status == 64)
    }
}
