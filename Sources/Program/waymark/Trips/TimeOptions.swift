import ArgumentParser
import RPC
import Store
import Time

/// The options `--from` and `--to`, which choose trips by the time at which they began.
struct TimeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Only trips that began then or later: a day, a time, today, yesterday, or a span before now such as 7d.",
            valueName: "time"))
    var from: TimeArgument?

    @Option(
        help: ArgumentHelp("Only trips that began earlier than this; for a day, before it begins.", valueName: "time"))
    var to: TimeArgument?

    /// The end as `events` takes it: for a day, its end.
    @Option(help: .hidden)
    var until: TimeArgument?

    /// Whether neither option is given.
    var isEmpty: Bool { from == nil && to == nil && until == nil }

    private func end(by clock: DisplayClock) -> Timestamp? {
        [to?.time(by: clock), until?.end(by: clock)].compactMap { $0 }.min()
    }

    /// Returns the query for the trips in that time, of a device or of all.
    func query(device: String? = nil, by clock: DisplayClock) -> TripQuery {
        TripQuery(device: device, since: from?.time(by: clock), until: end(by: clock))
    }

    /// Returns the options as parameters of a method.
    func parameters(by clock: DisplayClock) -> JSONObject {
        JSONObject(present: ["from": from?.json(by: clock), "to": end(by: clock).map { .string($0.description) }])
    }
}
