import ArgumentParser
import Geodesy
import RPC
import Sights
import TextCoding

/// The command `waymark anchor`, for the alarm of a device that is to stay where it is.
struct AnchorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "anchor", abstract: "Watch over a device that is to stay where it is.",
        subcommands: [Drop.self, Auto.self, Show.self, Acknowledge.self, Raise.self])

    /// The category of the sights that are anchors.
    fileprivate static let category = "anchor"

    /// The device, and where it is known.
    struct Anchored: ParsableArguments {
        @Option(
            help: ArgumentHelp("The device, by default the one that carries you or the primary one.", valueName: "name")
        )
        var device: String?

        @OptionGroup var source: SourceOptions

        /// Returns the device's name and its last fix.
        fileprivate nonisolated(nonsending) func position(
            by responder: any Responder
        ) async throws -> (
            device: String, place: JSONValue
        ) {
            let asked = JSONObject(present: ["device": device.map { .string($0) }])
            let place = try await responder.call("position.current", asked)
            return (place.text("device") ?? device ?? "", place)
        }

        /// Returns the device's name.
        fileprivate nonisolated(nonsending) func name(by responder: any Responder) async throws -> String {
            if let device { return device }
            return try await position(by: responder).device
        }

        /// Returns the ids of the anchors of a device.
        fileprivate nonisolated(nonsending) func anchors(
            of device: String, by responder: any Responder
        ) async throws -> [String] {
            let answer = try await responder.call("anchors.get", ["device": .string(device)])
            return answer.elements("anchors").compactMap { $0.text("id") }
        }

        /// Calls a method about the anchors of the device, and prints what it did.
        fileprivate nonisolated(nonsending) func change(_ method: String, says done: String) async throws {
            try await Failure.printing { output in
                let isNone = try await source.change { responder in
                    let device = try await name(by: responder)
                    guard try await !anchors(of: device, by: responder).isEmpty else { return true }
                    _ = try await responder.call(method, ["device": .string(device)])
                    return false
                }
                try output.line(isNone ? "There is no anchor." : done)
            }
        }
    }

    /// The command `waymark anchor drop`.
    struct Drop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "drop", abstract: "Watches a circle around a device, and gives an alarm when it leaves.",
            discussion: """
                The alarm is a geofence.exit with "alarm", at once and again each minute until it is acknowledged or the \
                device is back. It goes to everybody whom the device carries. An anchor that was dropped before is raised.
                """,
            examples: [
                "waymark anchor drop --radius 40 --device van"
            ])

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "The radius in metres, in which the device may swing. Above 0. (default: 40)", valueName: "M"))
        var radius: QuantityArgument?

        @OptionGroup var anchored: Anchored

        @Flag(help: "Print the sight as JSON.")
        var json = false

        /// The length of a short chain, and the boat at its end.
        private static let usualRadius = 40.0

        func validate() throws {
            guard radius.map({ $0.value > 0 }) ?? true else { throw ValidationError("--radius must be above 0.") }
        }

        func run() async throws {
            try await Failure.printing { output in
                let sight = try await anchored.source.change { responder in
                    let (device, position) = try await anchored.position(by: responder)
                    for id in try await anchored.anchors(of: device, by: responder) {
                        _ = try await responder.call("sights.remove", ["id": .string(id)])
                    }
                    let parameters = JSONObject(present: [
                        "title": .string("Anchor of \(device)"), "description": .string("Dropped with waymark anchor."),
                        "category": .string(AnchorCommand.category), "lat": position["lat"], "lon": position["lon"],
                        "radius": .number(radius?.value ?? Self.usualRadius), "devices": .array([.string(device)]),
                        "alarm": .bool(true),
                    ])
                    return try await responder.call("sights.add", parameters)
                }
                try output.sight(sight, json: json)
            }
        }
    }

    /// The command `waymark anchor auto`.
    struct Auto: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "auto", abstract: "Drops the anchor of a device by itself whenever the device stops.",
            discussion: """
                It never raises itself: leaving the circle is an alarm, also under way. It is raised by "waymark anchor \
                raise", or when the alarm is acknowledged. Until then, no stop drops another one.
                """,
            examples: [
                "waymark anchor auto --device van --radius 40",
                "waymark anchor auto --device van --off",
            ])

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("The radius in metres, at least 1. (default: 40)", valueName: "M"))
        var radius: QuantityArgument?

        @Flag(help: "End it; an anchor that is down stays until it is raised.")
        var off = false

        @OptionGroup var anchored: Anchored

        func validate() throws {
            guard radius.map({ $0.value >= 1 }) ?? true else { throw ValidationError("--radius must be at least 1.") }
            guard radius == nil || !off else { throw ValidationError("--off takes no --radius.") }
        }

        func run() async throws {
            try await Failure.printing { output in
                let answer = try await anchored.source.change { responder in
                    let device = try await anchored.name(by: responder)
                    let parameters = JSONObject(present: [
                        "device": .string(device), "radius": radius.map { .number($0.value) },
                        "off": off ? .bool(true) : nil,
                    ])
                    return try await responder.call("anchors.auto", parameters)
                }
                try output.line(AnchorCommand.line(answer))
            }
        }
    }

    /// The command `waymark anchor show`.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Says whether the anchor of a device is down.",
            examples: [
                "waymark anchor show --device van"
            ])

        @OptionGroup var anchored: Anchored

        @Flag(help: "Print the answer as JSON.")
        var json = false

        func run() async throws {
            try await Failure.printing { output in
                let answer = try await anchored.source.ask { responder in
                    let device = try await anchored.name(by: responder)
                    return try await responder.call("anchors.get", ["device": .string(device)])
                }
                try json ? output.line(answer.line) : output.line(AnchorCommand.line(answer))
            }
        }
    }

    /// Returns the state of a device's anchors in words.
    fileprivate static func line(_ answer: JSONValue) -> String {
        let anchors = answer.elements("anchors")
        var down = anchors.isEmpty ? "No anchor is down." : "The alarm is off."
        if anchors.contains(where: { $0["alarm"] == true }) { down = "The anchor is down." }
        guard let radius = answer.number("auto") else { return down }
        return down + " It drops by itself, with \(DecimalText.string(radius, decimals: 1)) m."
    }

    /// The command `waymark anchor acknowledge`.
    struct Acknowledge: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "acknowledge", abstract: "Ends the alarm of an anchor; its circle stays.",
            discussion: "An anchor that dropped by itself is raised instead, if the device has left it.",
            examples: [
                "waymark anchor acknowledge --device van"
            ])

        @OptionGroup var anchored: Anchored

        func run() async throws {
            try await anchored.change("anchors.acknowledge", says: "The alarm is off.")
        }
    }

    /// The command `waymark anchor raise`.
    struct Raise: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "raise", abstract: "Ends the watch over a device, and removes its circle.",
            examples: [
                "waymark anchor raise --device van"
            ])

        @OptionGroup var anchored: Anchored

        func run() async throws {
            try await anchored.change("anchors.raise", says: "The anchor is raised.")
        }
    }
}
