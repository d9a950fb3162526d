import ArgumentParser
import Positioning
import RPC
import Store

/// From when until when the trips began that a command is about.
struct TimeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The trips that began then or later: a day, a time, today, yesterday, or a span before now such as 7d.",
            valueName: "time"))
    var from: Moment?

    @Option(help: ArgumentHelp("The trips that began earlier; before a day begins.", valueName: "time"))
    var to: Moment?

    /// Whether neither is given.
    var isEmpty: Bool { from == nil && to == nil }

    /// The trips of a device, or of all, in that time.
    func query(device: String? = nil, by clock: WallClock) -> TripQuery {
        TripQuery(device: device, since: from?.time(by: clock), until: to?.time(by: clock))
    }

    /// The same as methods take it, without what is not given.
    func parameters(by clock: WallClock) -> JSONObject {
        JSONObject(present: ["from": from?.json(by: clock), "to": to?.json(by: clock)])
    }
}
