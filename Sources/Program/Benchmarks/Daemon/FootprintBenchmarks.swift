import Foundation
import TextCoding

/// Benchmarks of a daemon at rest: the time to start, and its memory.
enum FootprintBenchmarks {
    static let all = [
        Benchmark(name: "footprint", files: []) { try footprint($0) },
        Benchmark(name: "startup", files: [.manySights]) { try startup($0) },
        Benchmark(name: "idle", files: [.manySights]) { try idle($0) },
    ]

    /// The seconds after its start from which a daemon counts as idle.
    private static let rest = 2.0
    private static let starts = 5

    private static func footprint(_ work: Workload) throws {
        let daemon = try DaemonProcess(work, in: ScratchFolder(), untilAccepting: true)
        Thread.sleep(forTimeInterval: rest)
        print("footprint", daemon)
    }

    /// Measures the time from the start until READY with 100,000 sights, and prints the median of several starts.
    private static func startup(_ work: Workload) throws {
        let scratch = try ScratchFolder()
        try DaemonProcess.fill(scratch, with: work.sights(.manySights))
        var peak = 0
        var times: [Duration] = []
        for _ in 0..<starts {
            let daemon = try DaemonProcess(work, in: scratch)
            times.append(daemon.startTime)
            peak = max(peak, daemon.kilobytes("VmHWM"))
            daemon.stop()
        }
        times.sort()
        Figures(workload: "startup", count: 1, took: Elapsed(seconds: times[starts / 2] / .seconds(1)), peak: peak)
            .print { json in
                json.member("shortest_ms", times[0] / .milliseconds(1), decimals: 1)
                json.member("longest_ms", times[starts - 1] / .milliseconds(1), decimals: 1)
            }
    }

    /// Measures the memory at rest, without sights and with 100,000.
    private static func idle(_ work: Workload) throws {
        let sights = try work.sights(.manySights)
        for sights in [[], sights] {
            let scratch = try ScratchFolder()
            try DaemonProcess.fill(scratch, with: sights)
            let daemon = try DaemonProcess(work, in: scratch)
            Thread.sleep(forTimeInterval: rest)
            print("idle-\(sights.count)", daemon)
        }
    }

    private static func print(_ workload: String, _ daemon: DaemonProcess) {
        Figures(
            workload: workload, count: 1, took: Elapsed(seconds: daemon.startTime / .seconds(1)),
            peak: daemon.kilobytes("VmHWM")
        ).print { json in
            json.member("rss_kb", daemon.kilobytes("VmRSS"))
            json.member("rss_anon_kb", daemon.kilobytes("RssAnon"))
            json.member("pss_kb", daemon.kilobytes("Pss", in: "smaps_rollup"))
            json.member("threads", daemon.kilobytes("Threads"))
        }
    }
}
