import Foundation
import RPC
import SocketServer
import TestSupport
import Testing

@Suite(.slow) struct TripEditingCommandTests {
    private let trips: TwoTrips
    private var folder: TemporaryFolder { trips.folder }
    private var store: String { trips.store }

    init() async throws { trips = try await TwoTrips() }

    private func trip(_ arguments: String...) async throws -> Command.Outcome { try await trips.trip(arguments) }

    private func shown() async throws -> [String] {
        let list = try await trip("list", "--json").text
        return [list, try await trip("export", TwoTrips.walk, "--format", "csv").text]
    }

    @Test func aTripIsSplitAndMergedAndBothAreUndone() async throws {
        let before = try await shown()
        let split = try await trip("split", TwoTrips.walk, "--at", "2026-05-02T13:30:00Z")
        #expect(split.status == 0)
        #expect(split.lines.count == 2)
        #expect(split.lines.first?.hasPrefix(TwoTrips.walk) == true)
        let new = try #require(split.lines.last?.split(separator: " ").first.map(String.init))
        #expect(new.hasPrefix("canal-walk@2026-05-02T13:30:0"))
        let merged = try await trip("merge", new, TwoTrips.walk)
        #expect(merged.status == 0)
        #expect(merged.lines.last == "\(new) is now part of another trip")
        #expect(try await shown()[1] == before[1])
        for _ in 0..<2 {
            let undone = try await trip("undo", TwoTrips.walk)
            #expect(undone.status == 0)
        }
        #expect(try await shown() == before)
        let nothing = try await trip("undo", TwoTrips.walk)
        #expect(nothing.status == 1)
        #expect(nothing.errors == "waymark: The trip \(TwoTrips.walk) has no change that can be undone.\n")
    }

    @Test func removedPointsAreNoLongerShown() async throws {
        let before = try await shown()
        let point = try #require(before[1].split(separator: "\n").dropFirst(5).first?.split(separator: ",").first)
        let edited = try await trip("edit", TwoTrips.walk, "--remove-point", String(point), "--json")
        #expect(edited.status == 0)
        // Neither the header nor the removed point counts.
        let left = before[1].split(separator: "\n").count - 2
        #expect(edited.text.contains("\"fixes\":\(left),"))
        let csv = try await shown()[1].split(separator: "\n").map { $0.prefix { $0 != "," } }
        #expect(csv == before[1].split(separator: "\n").map { $0.prefix { $0 != "," } }.filter { $0 != point })
        let span = try await trip(
            "edit", TwoTrips.walk, "--remove-from", "2026-05-02T13:21:00Z", "--remove-until", "2026-05-02T13:22:00Z")
        #expect(span.status == 0)
        #expect(try await trip("show", TwoTrips.walk).text.contains("unseen"))
        for arguments in [["--remove-from", "2026-05-02T13:21:00Z"], [], ["--remove-point", "noon"]] {
            #expect(try await Command.run(["trip", "edit", TwoTrips.walk, "--store", store] + arguments).status == 64)
        }
        _ = try await trip("undo", TwoTrips.walk)
        _ = try await trip("undo", TwoTrips.walk)
        #expect(try await shown() == before)
    }

    @Test func aStopIsRemovedAndBroughtBack() async throws {
        let before = try await trip("show", TwoTrips.walk, "--json").text
        let stop = try #require(
            before.firstRange(of: "\"stop_list\":[{\"id\":\"").map { before[$0.upperBound...].prefix { $0 != "\"" } })
        let removed = try await trip("remove-stop", String(stop))
        #expect(removed.status == 0)
        #expect(removed.lines.first == "Removed the stop \(stop).")
        #expect(removed.lines.last?.hasPrefix(TwoTrips.walk) == true)
        #expect(try await trip("show", TwoTrips.walk, "--json").text.contains("\"stop_list\":[]"))
        #expect(try await trip("recompute", "--all").text == "0 of 2 trips differ.\n")
        let again = try await trip("remove-stop", String(stop))
        #expect(again.status == 1 && again.errors.hasPrefix("waymark: There is no stop \(stop);"))
        _ = try await trip("undo", TwoTrips.walk)
        #expect(try await trip("show", TwoTrips.walk, "--json").text == before)
    }

    @Test func recomputingFindsNoDifferences() async throws {
        let before = try await shown()
        let all = try await trip("recompute", "--all")
        #expect(all.status == 0)
        #expect(all.text == "0 of 2 trips differ.\n")
        #expect(try await trip("recompute", TwoTrips.drive, "--yes").text == "0 of 1 trips differ.\n")
        #expect(try await shown() == before)
        #expect(try await trip("recompute").status == 64)
        #expect(try await trip("recompute", "none").status == 1)
    }

    @Test(.timeLimit(.minutes(2))) func subscribersOfADaemonReceiveRevisedTrips() async throws {
        let daemon = try await RunningDaemon(in: folder, store: store)
        let events = try await SocketClient.connect(to: daemon.socket) { client in
            // Without `after`, a subscription has only the events from now on.
            _ = try await client.call("events.subscribe", ["types": ["trip.revised"]])
            let merging = try await Command.run(
                "trip", "split", TwoTrips.walk, "--at", "2026-05-02T13:30:00Z", "--socket", daemon.socket)
            #expect(merging.status == 0)
            var events: [JSONValue] = []
            while events.count < 2, let (_, parameters) = try await client.notification() {
                if let event = parameters["event"] { events.append(event) }
            }
            return events
        }
        #expect(events.map { $0["trip"]?["revision"] } == [1, 1])
        #expect(events.first?["trip"]?["id"] == .string(TwoTrips.walk))
        #expect(events.first?["change"] == "split")
        let logged = try await Command.run(
            "watch", "--after", "0", "--type", "trip.revised", "--limit", "2", "--json", "--socket", daemon.socket)
        #expect(try logged.lines.map { try JSONValue(parsing: Array($0.utf8).span) } == events)
        // As text, a line has the kind of change and either the trip's totals and its id, or the trip that now contains
        // it.
        let new = try #require(events.last?["trip"]?["id"]?.text)
        let merging = try await Command.run("trip", "merge", new, TwoTrips.walk, "--socket", daemon.socket)
        #expect(merging.status == 0)
        let words = try await Command.run(
            "watch", "--after", "0", "--type", "trip.revised", "--limit", "4", "--socket", daemon.socket)
        let lines = words.lines.filter { !$0.hasSuffix("times in UTC") }
        #expect(lines.count == 4)
        #expect(lines.prefix(2).allSatisfy { $0.contains("✎ trip     split ") && $0.contains(" m in ") })
        #expect(lines.first?.contains(TwoTrips.walk) == true)
        #expect(lines.last?.contains("✎ trip     merged ") == true)
        #expect(lines.last?.contains("\(new) is now in \(TwoTrips.walk)") == true)
    }
}
