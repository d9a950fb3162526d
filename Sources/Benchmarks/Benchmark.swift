import Glibc

/// One part of the work, by the name under which its figures are printed.
struct Benchmark: Sendable {
    /// What `--only` and `--list` call it.
    let name: String
    /// What it needs of the folder.
    let files: [Workload.File]
    /// Measures, and prints lines of figures.
    let run: @Sendable (Workload) async throws -> Void

    /// All there are, in the order in which they run.
    static let all: [Benchmark] =
        IndexBenchmarks.all + FenceBenchmark.all + DecodingBenchmarks.all + StoreBenchmarks.all
        + FanOutBenchmark.all + ReplayBenchmarks.all + FootprintBenchmarks.all + LatencyBenchmarks.all
        + LoadBenchmarks.all + CompanionBenchmarks.all + PlanBenchmarks.all

    /// Whether a shell pattern names it.
    func isNamed(by pattern: String) -> Bool {
        // Both strings live through the call, which only reads them.
        unsafe fnmatch(pattern, name, 0) == 0
    }
}
