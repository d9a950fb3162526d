import ArgumentParser
import Positioning
import Store

/// From when until when the trips began that a command is about.
struct TimeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The trips that began then or later.", valueName: "time"))
    var from: Moment?

    @Option(help: ArgumentHelp("The trips that began earlier.", valueName: "time"))
    var to: Moment?

    /// Whether neither is given.
    var isEmpty: Bool { from == nil && to == nil }

    /// The trips of a device, or of all, in that time.
    func query(device: String? = nil) -> TripQuery {
        TripQuery(device: device, since: from?.time, until: to?.time)
    }
}
