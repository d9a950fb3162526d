import ArgumentParser
import Geodesy
import Positioning
import RPC
import Tracking

extension TripCommand {
    /// The command `waymark trip recompute`.
    struct Recompute: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "recompute", abstract: "Recomputes the figures of trips from their points, and compares them.",
            discussion: """
                The command prints what differs, old and new side by side, and stores it only with --yes. Trips that do \
                not differ are not changed.
                """,
            examples: [
                "waymark trip recompute --all",
                "waymark trip recompute last --yes",
            ])

        @Argument(
            help: ArgumentHelp("The trips: ids or numbers, as trip list prints them, or last.", valueName: "trip"))
        var ids: [String] = []

        @Flag(help: "All trips, except those whose points are no longer kept.")
        var all = false

        @OptionGroup var times: TimeOptions

        @Flag(help: "Store the new figures.")
        var yes = false

        @OptionGroup var clock: ClockOption
        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object per trip that differs.")
        var json = false

        func validate() throws {
            guard ids.isEmpty == (all || !times.isEmpty) else {
                throw ValidationError("Give the ids of trips, or --all, or --from and --to.")
            }
        }

        func run() async throws {
            try await Failure.printing { output in
                var counts = Counts()
                let progress = Progress()
                defer { progress.clear() }
                func compare(_ responder: any Responder) async throws -> Counts {
                    var counts = Counts()
                    try await forEachPage(of: responder) { page in
                        counts.same += page.integer("same") ?? 0
                        counts.skipped += page.integer("skipped") ?? 0
                        progress.clear()
                        for trip in page.elements("trips") {
                            counts.different += 1
                            if json { try output.line(trip.line) } else { try print(trip, to: output) }
                        }
                        progress.show(
                            "\(Amounts.count(counts.same + counts.different + counts.skipped, "trip")) checked")
                    }
                    return counts
                }
                counts = yes ? try await source.change(compare) : try await source.ask(compare)
                if !json { try output.line(text(counts)) }
            }
        }

        private struct Counts: Sendable {
            var different = 0
            var same = 0
            var skipped = 0
        }

        private func forEachPage(of responder: any Responder, _ body: (JSONValue) throws -> Void) async throws {
            var parameters = times.parameters(by: clock.clock)
            parameters["apply"] = .bool(yes)
            let chosen = try await responder.trips(ids)
            // A call takes at most 100 ids.
            for start in stride(from: 0, to: chosen.count, by: 100) {
                parameters["ids"] = .array(chosen[start..<min(start + 100, chosen.count)].map { .string($0) })
                try body(try await responder.call("trips.recompute", parameters))
            }
            guard ids.isEmpty else { return }
            repeat {
                let page = try await responder.call("trips.recompute", parameters)
                try body(page)
                parameters["after"] = page["next"]
            } while parameters["after"] != nil
        }

        /// Prints the differences between the stored trip and the recomputed one.
        private func print(_ trip: JSONValue, to output: StandardOutput) throws {
            guard let stored = trip["stored"].flatMap({ TripView($0) }),
                let found = trip["found"].flatMap({ TripView($0) })
            else { return }
            try output.line(EventFormatter.printable(found.summary.id))
            let rows = zip(Self.rows(stored.summary), Self.rows(found.summary))
            for (old, new) in rows where old.value != new.value {
                let label = EventFormatter.padded(old.label, to: 9)
                try output.line("  \(label) \(EventFormatter.padded(old.value, to: 12)) → \(new.value)")
            }
        }

        private static func rows(_ trip: TripSummary) -> [(label: String, value: String)] {
            func length(_ length: Distance?) -> String { length.map(EventFormatter.length) ?? "unknown" }
            return [
                ("distance", length(trip.distance)), ("stopped", EventFormatter.duration(trip.stopped)),
                ("stops", "\(trip.stops)"), ("points", "\(trip.fixes)"),
                ("fastest", trip.maximumSpeed.map(EventFormatter.speed) ?? "unknown"), ("unseen", length(trip.gaps)),
                ("drawn", length(trip.bridged)), ("up", length(trip.climb)), ("down", length(trip.descent)),
            ]
        }

        private func text(_ counts: Counts) -> String {
            var text = "\(counts.different) of \(counts.different + counts.same) trips differ"
            if counts.skipped > 0 { text += "; \(counts.skipped) are still open or have no points left" }
            guard counts.different > 0 else { return text + "." }
            return text + (yes ? "; stored." : "; nothing is stored: --yes stores it.")
        }
    }
}
