import Daemon
import Foundation
import Positioning
import TextCoding

/// Benchmarks of `waymark replay`: a million fixes from files to a store, with 100,000 sights.
///
/// Ten devices drive the same track one after the other.
enum ReplayBenchmarks {
    static let all = [benchmark("replay-nmea", .nmea), benchmark("replay-gpx", .gpx)]

    private static let devices = 10

    private static func benchmark(_ name: String, _ track: Workload.File) -> Benchmark {
        Benchmark(name: name, files: [.manySights, track]) { work in
            let scratch = try ScratchFolder()
            let recording = URL(fileURLWithPath: work.path(track)).standardizedFileURL
            let files = try (1...devices).map { device in
                let link = scratch.file("car-\(device).\(recording.pathExtension)")
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: recording.path)
                return link
            }
            let opening = Stopwatch()
            let session = try ReplaySession(
                Replay.Options(files: files), sightFiles: [work.path(.manySights)], storePath: scratch.file("store"),
                socket: nil)
            let opened = opening.elapsed
            let watch = Stopwatch()
            let summary = try await session.run(Replay.Audience(committed: { _ in }))
            let took = watch.elapsed
            let bytes = try scratch.size("store")
            Figures(workload: name, count: summary.read, took: took).print { json in
                json.member("opening_seconds", opened.seconds, decimals: 3)
                json.member("events", summary.events.total)
                json.member("trips", summary.trips)
                json.member("store_bytes", bytes)
            }
        }
    }
}
