import Glibc

/// A measurement of one part of the work.
struct Benchmark: Sendable {
    /// The name for `--only` and `--list`.
    let name: String
    /// The files that it needs in the folder.
    let files: [Workload.File]
    /// The function that measures, and prints lines of figures.
    let run: @Sendable (Workload) async throws -> Void

    /// All benchmarks, in the order in which they run.
    static let all: [Benchmark] =
        IndexBenchmarks.all + FenceBenchmark.all + ShapeBenchmark.all + AnchorBenchmark.all + DecodingBenchmarks.all
        + StoreBenchmarks.all + StateBenchmark.all
        + FanOutBenchmark.all + ReplayBenchmarks.all + FootprintBenchmarks.all + LatencyBenchmarks.all
        + LoadBenchmarks.all + PhonesBenchmark.all + CompanionBenchmarks.all + PlanBenchmarks.all

    /// Whether a shell pattern matches the name.
    func isNamed(by pattern: String) -> Bool {
        // Both strings live through the call, which only reads them.
        unsafe fnmatch(pattern, name, 0) == 0
    }
}
