import ArgumentParser
import Geodesy
import Positioning
import Tracking

/// The options for the settings of events and trips; settings without an option stay unchanged.
struct TrackingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Whether to reject implausible fixes; off accepts every fix in order. (default: on)", valueName: "on|off"))
    var gate: Switch?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("A fixed exit margin in metres, instead of the formula. Not negative.", valueName: "M"))
    var exitMargin: QuantityArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The seconds inside until a dwell is reported. Not negative. (default: 60)", valueName: "S"))
    var dwell: QuantityArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The seconds at rest until a stop is reported. Not negative. (default: 180)", valueName: "S")
    )
    var stopAfter: QuantityArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The metres within which a device counts as at rest. Above 0. (default: 60)", valueName: "M")
    )
    var stopRadius: QuantityArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The seconds at rest, or without a fix, that end a trip. Not negative. (default: 900)", valueName: "S"))
    var tripEndAfter: QuantityArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The speed in km/h above which a device is reported, wherever it is. Above 0.", valueName: "KMH"))
    var speedLimit: QuantityArgument?

    enum Switch: String, ExpressibleByArgument {
        case on
        case off
    }

    func validate() throws {
        guard stopRadius.map({ $0.value > 0 }) ?? true else { throw ValidationError("--stop-radius must be above 0.") }
        guard speedLimit.map({ $0.value > 0 }) ?? true else { throw ValidationError("--speed-limit must be above 0.") }
    }

    /// Changes the settings that are given.
    func change(_ policy: inout TrackingPolicy) {
        if let gate { policy.gate.isOff = gate == .off }
        if let exitMargin { policy.exitMargin = .meters(exitMargin.value) }
        if let dwell { policy.dwell = dwell.value }
        if let stopAfter { policy.stopAfter = stopAfter.value }
        if let stopRadius { policy.stopRadius = .meters(stopRadius.value) }
        if let tripEndAfter { policy.tripEndAfter = tripEndAfter.value }
        if let speedLimit { policy.speedLimit = .kilometersPerHour(speedLimit.value) }
    }

    /// The default settings, with those that are given.
    var policy: TrackingPolicy {
        var policy = TrackingPolicy()
        change(&policy)
        return policy
    }

    /// Whether any setting is given.
    var isGiven: Bool {
        gate != nil || [exitMargin, dwell, stopAfter, stopRadius, tripEndAfter, speedLimit].contains { $0 != nil }
    }
}
