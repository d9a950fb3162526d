import Foundation
import TestSupport
import Testing

/// `waymark events` over a store of a walk on 4 May 2026.
@Suite(.slow) struct EventsCommandTests {
    private let folder: TemporaryFolder
    private let store: String

    init() async throws {
        folder = try TemporaryFolder()
        store = folder.file("store")
        let replay = try await Command.run(
            "replay", "fixtures/canal-walk.gpx", "--sights", "fixtures/amsterdam.sights.csv", "--json", "--store", store
        )
        #expect(replay.status == 0)
    }

    private func events(_ words: String...) async throws -> Command.Outcome {
        try await Command.run(["events"] + words + ["--store", store])
    }

    private struct Event: Decodable {
        var seq: Int
        var type: String
        var time: String
    }

    @Test func eventsAreFilteredByTimeTypeAndLimit() async throws {
        let all = try await events("--json").decoded(as: Event.self)
        #expect(all.map(\.seq) == Array(1...all.count))
        let from = all[all.count / 3].time
        let until = all[2 * all.count / 3].time
        let some = try await events("--from", from, "--until", until, "--json").decoded(as: Event.self)
        #expect(some.map(\.seq) == all.filter { $0.time >= from && $0.time < until }.map(\.seq))
        #expect(!some.isEmpty)
        let enters = try await events("--type", "geofence.enter", "--json").decoded(as: Event.self)
        #expect(enters.map(\.seq) == all.filter { $0.type == "geofence.enter" }.map(\.seq))
        let last = try await events("--limit", "3", "--newest", "--json").decoded(as: Event.self)
        #expect(last.map(\.seq) == all.suffix(3).reversed().map(\.seq))
    }

    @Test func aDayAsBothBoundsMeansThatWholeDay() async throws {
        let day = try #require(try await events("--json").decoded(as: Event.self).first).time.prefix(10)
        let count = try await events().lines.count
        #expect(try await events("--from", String(day), "--until", String(day), "--utc").lines.count == count)
        let none = try await events("--from", "yesterday")
        #expect(none.status == 0 && none.lines.isEmpty && none.errors == "There is no such event.\n")
    }

    @Test(arguments: ["tomorrow", "3", "h", "2026-02-30", "99999999999d", "4000000000s", ""])
    func anInvalidTimeIsRefused(word: String) async throws {
        let refused = try await events("--from", word)
        #expect(refused.status == 64)
        #expect(refused.errors.contains("--from takes a day, a time"), "\(refused.errors)")
    }
}
