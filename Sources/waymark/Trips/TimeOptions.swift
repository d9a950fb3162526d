import ArgumentParser
import Positioning
import RPC
import Store

/// The options `--from` and `--to`, which choose trips by the time at which they began.
struct TimeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Only trips that began then or later: a day, a time, today, yesterday, or a span before now such as 7d.",
            valueName: "time"))
    var from: Moment?

    @Option(
        help: ArgumentHelp("Only trips that began earlier than this; for a day, before it begins.", valueName: "time"))
    var to: Moment?

    /// Whether neither option is given.
    var isEmpty: Bool { from == nil && to == nil }

    /// Returns the query for the trips in that time, of a device or of all.
    func query(device: String? = nil, by clock: WallClock) -> TripQuery {
        TripQuery(device: device, since: from?.time(by: clock), until: to?.time(by: clock))
    }

    /// Returns the options as parameters of a method.
    func parameters(by clock: WallClock) -> JSONObject {
        JSONObject(present: ["from": from?.json(by: clock), "to": to?.json(by: clock)])
    }
}
