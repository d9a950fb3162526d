import ArgumentParser
import Foundation
import RPC
import Time

/// The command `waymark events`, which prints past events of the daemon or a store.
struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Print past events, oldest first, and exit.",
        discussion: """
            A time is a day such as 2026-05-01, a time such as 2026-05-01T10:00:00Z, today, yesterday, or a span before \
            now such as 3h, 45min or 7d. Days are those of your time zone; --utc makes them days in UTC.
            """,
        examples: [
            "waymark events --from yesterday --type geofence.enter",
            "waymark events --limit 10 --newest",
        ])

    @Option(help: ArgumentHelp("Only events from this time on.", valueName: "time"))
    var from: String?

    @Option(help: ArgumentHelp("Only events before this time; for a day, before its end.", valueName: "time"))
    var until: String?

    /// The end as `trip list` takes it: for a day, its beginning.
    @Option(help: .hidden)
    var to: String?

    @Option(
        name: .customLong("type"),
        help: ArgumentHelp("Only events of this type, such as geofence.enter or trip.*. Repeatable.", valueName: "type")
    )
    var types: [String] = []

    @Option(
        name: .customLong("device"), help: ArgumentHelp("Only events of this device. Repeatable.", valueName: "name"))
    var devices: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The maximum number of events; the newest are printed.", valueName: "N"))
    var limit: Int?

    @Flag(help: "Print the newest first.")
    var newest = false

    @OptionGroup var clock: ClockOption
    @OptionGroup var source: SourceOptions

    @Flag(help: "Print one JSON object per event.")
    var json = false

    func validate() throws {
        guard limit.map({ (1...Self.maximumKept).contains($0) }) ?? true else {
            throw ValidationError("--limit takes a number from 1 to \(Self.maximumKept).")
        }
        for (name, word) in [("from", from), ("until", until), ("to", to)] {
            guard let word else { continue }
            guard PastTime(word, now: .now, in: zone) != nil else {
                throw ValidationError(
                    "--\(name) takes a day, a time, today, yesterday or a span such as 3h; \"\(word)\" is none of these."
                )
            }
        }
    }

    /// The largest limit: more is no overview, and without a limit all events are printed as they arrive.
    private static let maximumKept = 100_000

    private var zone: TimeZone { clock.clock.zone }

    func run() async throws {
        let begin = from.flatMap { PastTime($0, now: .now, in: zone) }?.begin
        let ends = [
            until.flatMap { PastTime($0, now: .now, in: zone) }?.end,
            to.flatMap { PastTime($0, now: .now, in: zone) }?.begin,
        ]
        let end = ends.compactMap { $0 }.min()
        try await Failure.printing { output in
            // Without a limit, each page is printed as it arrives.
            var kept: [(event: JSONValue, name: String?)] = []
            var lines = EventFormatter(paint: .standardOutput, showsDevice: true, clock: clock.clock)
            func print(_ event: JSONValue, _ name: String?) throws {
                if json { return try output.line(event.line) }
                for line in lines.lines(of: EventView(event), called: name) {
                    try output.line(line, hanging: EventFormatter.textColumn)
                }
            }
            var count = 0
            try await source.ask { responder in
                let isNewestFirst = newest || limit != nil
                try await Self.pages(
                    of: filter(from: begin, until: end), newest: isNewestFirst, limit: limit, from: responder
                ) { events, names in
                    for event in events {
                        count += 1
                        let name = event.integer("seq").flatMap { names?.text("\($0)") }
                        if isNewestFirst, !newest { kept.append((event, name)) } else { try print(event, name) }
                    }
                }
            }
            for (event, name) in kept.reversed() { try print(event, name) }
            if count == 0, !json { Failure.note("There is no such event.") }
        }
    }

    private func filter(from begin: Timestamp?, until end: Timestamp?) -> JSONObject {
        JSONObject(present: [
            "types": types.isEmpty ? nil : .array(types.map { .string($0) }),
            "devices": devices.isEmpty ? nil : .array(devices.map { .string($0) }),
            "from": begin.map { .string($0.description) }, "until": end.map { .string($0.description) },
        ])
    }

    /// Passes the stored events to `body` page by page, at most `limit` of them.
    private static func pages(
        of filter: JSONObject, newest: Bool, limit: Int?, from responder: any Responder,
        _ body: (_ events: [JSONValue], _ names: JSONValue?) throws -> Void
    ) async throws {
        var parameters = filter
        if newest { parameters["newest"] = true }
        var left = limit ?? .max
        while left > 0 {
            parameters["limit"] = .integer(Int64(clamping: min(left, 1000)))
            let page: JSONValue
            do {
                page = try await responder.call("events.list", parameters)
            } catch let error as RPCError where error.code == .cursorGone {
                // Earlier events are no longer kept.
                guard let first = error.data?["first"].flatMap(Int64.init(json:)) else { throw error }
                parameters["after"] = .integer(first - 1)
                continue
            }
            let events = page.elements("events")
            try body(events, page["names"])
            left -= events.count
            guard let next = page["next"].flatMap(Int64.init(json:)),
                let bound = page[newest ? "first" : "last"].flatMap(Int64.init(json:)),
                newest ? next >= bound : next <= bound
            else { return }
            parameters[newest ? "before" : "after"] = .integer(newest ? next + 1 : next - 1)
        }
    }
}

/// A time in the past, as people write it.
struct PastTime {
    let begin: Timestamp
    /// The end: for a day, the midnight after it; for a moment, the moment itself.
    let end: Timestamp

    /// Parses a time; `nil` if the words are none.
    ///
    /// - Parameter zone: The time zone that determines when days begin.
    init?(_ words: String, now: Timestamp, in zone: TimeZone) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let instant = Date(timeIntervalSince1970: Double(now.milliseconds) / 1000)
        let day: Date?
        if words == "now" {
            (begin, end) = (now, now)
            return
        } else if words == "today" {
            day = instant
        } else if words == "yesterday" {
            day = calendar.date(byAdding: .day, value: -1, to: instant)
        } else if let date = CalendarDate(argument: words) {
            // The same calendar day, in the zone.
            var utc = calendar
            utc.timeZone = .gmt
            let midnight = Date(timeIntervalSince1970: Double(date.daysSinceEpoch) * 86_400)
            day = calendar.date(from: utc.dateComponents([.year, .month, .day], from: midnight))
        } else {
            guard let moment = Timestamp(rfc3339: words) ?? Self.before(now, by: words) else { return nil }
            (begin, end) = (moment, moment)
            return
        }
        guard let day else { return nil }
        let midnight = calendar.startOfDay(for: day)
        guard let next = calendar.date(byAdding: .day, value: 1, to: midnight) else { return nil }
        (begin, end) = (Timestamp(midnight), Timestamp(calendar.startOfDay(for: next)))
    }

    /// Returns the time a span before `now`; `nil` if the words are no span, or it is longer than a century.
    private static func before(_ now: Timestamp, by words: String) -> Timestamp? {
        let digits = words.prefix { $0.isASCII && $0.isNumber }
        let units: [Substring: Int64] = [
            "s": 1000, "min": 60_000, "m": 60_000, "h": 3_600_000, "d": Timestamp.millisecondsPerDay,
        ]
        guard digits.count <= 9, let count = Int64(digits), let unit = units[words.dropFirst(digits.count)],
            count <= Int64(QuantityArgument.greatest) * 1000 / unit
        else { return nil }
        return now.advanced(byMilliseconds: -count * unit)
    }
}
