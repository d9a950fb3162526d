#if Companion
import ArgumentParser
import Geodesy
import Interchange
import RPC
import TextCoding
import Time

/// The command `waymark report`, for the sums of trips.
struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Adds up trips by day, week, month or year.",
        discussion: """
            Trips count once they have ended. A trip over midnight is divided between its days, which begin at midnight \
            of the machine's time zone. The latest period comes last.
            """,
        examples: [
            "waymark report",
            "waymark report --by day --from 7d",
            "waymark report --by year --csv",
        ])

    /// A kind of period.
    enum Period: String, ExpressibleByArgument, CaseIterable {
        case day, week, month, year, all
    }

    @Option(help: "The periods; a week begins on Monday, and all adds up all days.")
    var by = Period.month

    @Option(
        help: ArgumentHelp(
            "The first day: a day, today, yesterday, or a span before now such as 30d.", valueName: "day"))
    var from: TimeArgument?

    @Option(help: ArgumentHelp("The last day, included.", valueName: "day"))
    var until: TimeArgument?

    @Option(help: ArgumentHelp("Only trips of this device.", valueName: "name"))
    var device: String?

    @OptionGroup var source: SourceOptions

    @Flag(help: "Print one JSON object per sum.")
    var json = false

    @Flag(help: "Print CSV: metres, seconds and metres per second.")
    var csv = false

    func validate() throws {
        guard !(json && csv) else { throw ValidationError("Give either --json or --csv, not both.") }
    }

    func run() async throws {
        try await Failure.printing { output in
            let last = until?.end(by: .local).map { $0.advanced(byMilliseconds: -1) }
            let parameters = JSONObject(present: [
                "period": .string(by.rawValue), "device": device.map { .string($0) },
                "from": from?.time(by: .local).map { .string(DisplayClock.local.day($0)) },
                "to": last.map { .string(DisplayClock.local.day($0)) },
            ])
            var sums: [JSONValue] = []
            try await source.ask { responder in
                try await responder.forEachPage(of: "reports.summary", "sums", parameters) {
                    sums.append(contentsOf: $0)
                }
            }
            sums.reverse()
            if json { return try sums.forEach { try output.line($0.line) } }
            if csv { return try output.raw(ReportView.csv(sums)) }
            try output.table(ReportView.table(sums, by: by))
            if sums.isEmpty { Failure.note("No trip has ended in that time.") }
        }
    }
}

/// The sums of trips as texts.
enum ReportView {
    /// Returns a table of sums.
    static func table(_ sums: [JSONValue], by period: ReportCommand.Period) -> TextTable {
        // Of a narrow terminal, the purposes are left out first.
        var table = TextTable(
            [
                period.rawValue, "device", "trips", "length", "moving", "standing", "stops", "visits", "first", "last",
                "fastest", "over limit", "business", "private", "commute",
            ], details: Set(7...14))
        for sum in sums {
            func length(_ name: String) -> TextTable.Cell {
                .number(sum.number(name).map { EventFormatter.length(.meters($0)) } ?? "")
            }
            func count(_ name: String) -> TextTable.Cell { .number("\(sum.integer(name) ?? 0)") }
            func duration(_ name: String) -> TextTable.Cell { .number(EventFormatter.duration(sum.number(name) ?? 0)) }
            func moment(_ name: String) -> TextTable.Cell {
                .number(sum.time(name).map { period == .day ? minute($0) : DisplayClock.local.day($0) } ?? "")
            }
            let times = sum.integer("speeding") ?? 0
            let speed = sum.number("max_speed").map { EventFormatter.speed(.metersPerSecond($0)) } ?? ""
            table.add([
                .number(name(of: sum, by: period)), .text(sum.text("device") ?? ""), count("trips"), length("distance"),
                duration("moving"), duration("stopped"), count("stops"), count("visits"), moment("first"),
                moment("last"), .number(speed), .number(times > 0 ? "\(times) ×" : ""), length("business"),
                length("private"), length("commute"),
            ])
        }
        return table
    }

    /// Returns the time of day to the minute, on the machine's clock.
    private static func minute(_ time: Timestamp) -> String { String(DisplayClock.local.time(time).prefix(5)) }

    /// Returns the name of the period of a sum, such as 2026-05 for a month.
    private static func name(of sum: JSONValue, by period: ReportCommand.Period) -> String {
        let (start, end) = (sum.text("start") ?? "", sum.text("end") ?? "")
        return switch period {
        case .day: start
        case .week, .all: "\(start) to \(end)"
        case .month: String(start.prefix(7))
        case .year: String(start.prefix(4))
        }
    }

    /// Returns the text of a CSV file.
    static func csv(_ sums: [JSONValue]) -> [UInt8] {
        var bytes: [UInt8] = []
        CSVWriter.append(
            [
                "start", "end", "device", "trips", "distance_m", "moving_s", "stopped_s", "stops", "visits", "first",
                "last", "max_speed_mps", "speeding", "speeding_s", "business_m", "private_m", "commute_m",
            ], to: &bytes)
        for sum in sums {
            func number(_ name: String, _ decimals: Int) -> String {
                sum.number(name).map { DecimalText.string($0, decimals: decimals) } ?? ""
            }
            func text(_ name: String) -> String { sum.text(name) ?? "" }
            CSVWriter.append(
                [
                    text("start"), text("end"), text("device"), number("trips", 0), number("distance", 1),
                    number("moving", 3), number("stopped", 3), number("stops", 0), number("visits", 0), text("first"),
                    text("last"), number("max_speed", 2), number("speeding", 0), number("speeding_time", 3),
                    number("business", 1), number("private", 1), number("commute", 1),
                ], to: &bytes)
        }
        return bytes
    }
}
#endif
