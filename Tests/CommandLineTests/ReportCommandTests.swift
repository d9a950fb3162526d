#if Companion
import Foundation
import TestSupport
import Testing

@Suite(.slow) struct ReportCommandTests {
    private let trips: TwoTrips

    init() async throws { trips = try await TwoTrips() }

    private func run(_ arguments: String...) async throws -> Command.Outcome {
        try await Command.run(arguments + ["--store", trips.store])
    }

    private struct Sum: Decodable {
        var start: String
        var end: String
        var device: String
        var trips: Int
        var distance: Double
        var business: Double?
    }

    @Test func theSumsAreListedTheLatestLast() async throws {
        let days = try await run("report", "--by", "day", "--json").decoded(as: Sum.self)
        #expect(days.map(\.start) == ["2026-05-02", "2026-05-07"])
        #expect(days.map(\.device) == ["canal-walk", "pass-by"])
        let weeks = try await run("report", "--by", "week", "--json").decoded(as: Sum.self)
        #expect(weeks.map(\.start) == ["2026-04-27", "2026-05-04"])
        #expect(weeks.map(\.end) == ["2026-05-03", "2026-05-10"])
        let lines = try await run("report").lines
        #expect(lines.map { $0.hasPrefix("2026-05\t") } == [true, true])
        #expect(lines.contains { $0.contains("\tpass-by\t1\t23.7 km\t") })
    }

    @Test func thePeriodIncludesItsLastDay() async throws {
        let walk = try await run("report", "--from", "2026-05-01", "--until", "2026-05-02", "--json")
        #expect(try walk.decoded(as: Sum.self).map(\.device) == ["canal-walk"])
        let nothing = try await run("report", "--until", "2026-05-01")
        #expect(nothing.status == 0 && nothing.output.isEmpty)
        #expect(nothing.errors == "No trip has ended in that time.\n")
        #expect(try await run("report", "--csv", "--json").status == 64)
        #expect(try await run("report", "--device", "nobody").status == 1)
    }

    @Test func theFileForSpreadsheetsHasALineForEachSum() async throws {
        let lines = try await run("report", "--by", "all", "--csv").lines
        #expect(lines.count == 3)
        #expect(lines.first?.hasPrefix("start,end,device,trips,distance_m,moving_s,stopped_s,stops,visits,") == true)
        #expect(lines.contains { $0.hasPrefix("2026-05-07,2026-05-07,pass-by,1,") })
    }

    @Test func theLogbookIsSetAndListed() async throws {
        let set = try await run(
            "logbook", "set", "last", "--purpose", "business", "--reason", "Visit, with cake", "--driver", "Ada")
        #expect(set.status == 0)
        let lines = try await run("logbook", "list", "--csv").lines
        #expect(lines.first == "device,start,end,distance_m,from,to,purpose,reason,driver,trip")
        #expect(lines.count == 3)
        #expect(lines.last?.hasPrefix("pass-by,2026-05-07 09:00:00,") == true)
        #expect(lines.last?.contains(#",,,business,"Visit, with cake",Ada,"#) == true)
        let sums = try await run("report", "--json").decoded(as: Sum.self)
        #expect(sums.first { $0.device == "pass-by" }.map { $0.business == $0.distance } == true)
        #expect(sums.first { $0.device == "canal-walk" }?.business == nil)
        #expect(try await run("logbook", "set", TwoTrips.drive, "--purpose", "none").status == 0)
        #expect(try await run("logbook", "list", "--device", "pass-by").text.contains("business") == false)
        #expect(try await run("logbook", "set", TwoTrips.drive).status == 64)
        let unknown = try await run("logbook", "set", "nope", "--purpose", "private")
        #expect(unknown.status == 1)
        #expect(unknown.errors.contains("There is no trip nope"))
    }

    @Test func theDaysAreThoseOfTheMachinesZone() async throws {
        // The walk began at 13:20 UTC, which is the next day in Auckland.
        let days = try await Command.run(
            ["logbook", "set", "last", "--purpose", "private", "--store", trips.store], zone: "Pacific/Auckland")
        #expect(days.status == 0)
        let sums = try await Command.run(
            ["report", "--by", "day", "--json", "--store", trips.store], zone: "Pacific/Auckland")
        #expect(try sums.decoded(as: Sum.self).map(\.start) == ["2026-05-03", "2026-05-07"])
    }
}
#endif
