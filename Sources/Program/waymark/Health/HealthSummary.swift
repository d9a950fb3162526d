import RPC

/// A summary of a daemon's state: that all is well, or the problems and their remedies.
///
/// The daemon judges; this only shows it.
struct HealthSummary {
    /// The problems; failures come before warnings.
    let findings: [Finding]

    init(_ report: DaemonReport) { findings = report.findings }

    /// Whether there is a failure.
    var isBad: Bool { findings.contains { $0.state == .fail } }

    /// The column in which a remedy begins.
    static let textColumn = 4

    /// Returns one line if all is well; otherwise two lines per problem.
    func lines(_ paint: Paint) -> [String] {
        guard !findings.isEmpty else { return [paint.green("All is well.")] }
        return findings.flatMap { finding in
            let text = EventFormatter.printable("\(finding.check): \(finding.text)")
            let line = finding.state == .fail ? paint.red(text) : paint.yellow(text)
            return [line] + (finding.remedy.map { ["  → \(EventFormatter.printable($0))"] } ?? [])
        }
    }
}
