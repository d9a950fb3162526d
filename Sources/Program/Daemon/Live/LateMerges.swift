import Deadlines
import Logging
import Positioning
import Service
import Store
import Time
import Tracking
import Trips

/// Merges late fixes into the trips of their devices, once these have sent nothing for a minute.
struct LateMerges: Sendable {
    /// The silence of a device, in seconds, after which its late fixes are merged.
    private static let quiet = 60.0
    /// The time between two looks, while there are late fixes.
    private static let step = Duration.seconds(15)

    private let pipeline: LivePipeline
    private let context: ServiceContext
    private let logger: Logger
    private let clock: any Clock<Duration>

    /// Creates the work for a daemon.
    init(_ pipeline: LivePipeline, _ context: ServiceContext, clock: any Clock<Duration> = .deadlines, logger: Logger) {
        self.pipeline = pipeline
        self.context = context
        self.clock = clock
        self.logger = logger
    }

    /// Merges late fixes until the task is cancelled.
    ///
    /// While there are none, it does not wake the processor.
    func run() async {
        // How many fixes of each device wait for nothing but more of them.
        var left: [String: Int] = [:]
        for await _ in pipeline.lateFixes.stream {
            var devices = await self.devices(without: left)
            while !devices.isEmpty, !Task.isCancelled {
                for device in await pipeline.quiet(for: Self.quiet, among: devices) {
                    do {
                        try await merge(device)
                        let isGoing = await pipeline.openTrips()[device] != nil
                        left[device] = isGoing ? nil : try await context.store.read(LateFixes.counts)[device]
                    } catch {
                        logger.error("\(device): its late fixes are not merged yet: \(error)")
                    }
                }
                // Fixes during a trip that goes on wait for its end.
                guard (try? await clock.sleep(for: Self.step)) != nil else { return }
                devices = await self.devices(without: left)
            }
        }
    }

    /// Returns the devices that have other numbers of late fixes.
    private func devices(without left: [String: Int]) async -> [String] {
        let counts = (try? await context.store.read(LateFixes.counts)) ?? [:]
        return counts.keys.filter { counts[$0] != left[$0] }.sorted()
    }

    /// Merges the late fixes of one device.
    ///
    /// Those just before or after a trip are added to it if the tracker, told all of them in order, finds them to be of
    /// it. Others become trips of their own if the device moved.
    func merge(_ device: String) async throws {
        let policy = await pipeline.policy()
        let now = context.now()
        try await context.editor.change { db, consequences in
            let merge = try LateFixes.merge(of: device, now: now, in: db)
            consequences.events += merge.events
            var rest = merge.rest[...]
            while let run = try LateFixes.removeRun(from: &rest, of: device, within: policy.tripEndAfter, in: db) {
                consequences.events += try run.settle(of: device, policy: policy, now: now, in: db)
            }
        }
    }
}
