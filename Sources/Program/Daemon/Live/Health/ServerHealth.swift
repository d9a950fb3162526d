import Callers
import People
import RPC
import Service
import Store

/// The judgement of the daemon about itself: `server.health`.
struct ServerHealth: Sendable {
    let pipeline: LivePipeline
    let probe: HealthProbe

    /// Judges now, and reports a change in an event.
    func findings() async -> [HealthFinding] { await pipeline.reviewHealth(probe.look()) }

    /// The method `server.health`.
    var method: Method<Principal> {
        Method(
            "server.health",
            "Returns what is not well with the daemon, its receivers and its machine, with the remedies; failures come first. Through HTTP, only administrators see more than which receivers are not well.",
            answers: .object {
                Member.flag("well", "Whether all is well: there are no findings.") { (shown: [Shown]) in shown.isEmpty }
                Member("findings", .array(of: Shown.shape), "The findings; none if all is well.") { $0 }
            }, right: .read
        ) { await shown(to: $0.caller) }
    }

    private func shown(to caller: Principal) async -> [Shown] {
        let findings = await findings(for: caller)
        guard !caller.seesMachine else { return findings.map { Shown(finding: $0, isWhole: true) } }
        // The words may name a file or a server.
        return findings.filter { $0.part == .receiver }.map { Shown(finding: $0, isWhole: false) }
    }

    /// Returns the findings that are about no device, or about one that a caller sees.
    func findings(for caller: Principal) async -> [HealthFinding] {
        let viewer = Viewer(person: caller.person, isAdmin: caller.has(.change))
        let access = try? await pipeline.store.read { try DeviceAccess(for: viewer, in: $0) }
        return await findings().filter { finding in
            guard finding.part == .receiver, let access, let slash = finding.id.firstIndex(of: "/") else { return true }
            return access.sees(String(finding.id[finding.id.index(after: slash)...]))
        }
    }

    /// A finding as a caller sees it.
    private struct Shown: Answerable, Sendable {
        let finding: HealthFinding
        /// Whether the caller sees its words.
        let isWhole: Bool

        static let shape = AnswerShape<Shown>.object {
            Member(
                "id", .text, "The name of the finding, which stays the same while it lasts, such as `no-fix/van`."
            ) { $0.finding.id }
            Member("part", .choice, "The part that is not well.") { $0.finding.part }
            Member(
                "severity", .choice,
                "`failure` if something does not work, `warning` if it may stop working or has failed before, `note` if something is not set up or not known yet."
            ) { $0.finding.severity }
            Member("since", .time, "The time since when it is so, by the system's clock.") { $0.finding.since }
            Member.optional("text", .text, "The problem, as a clause.") { $0.isWhole ? $0.finding.text : nil }
            Member.optional("remedy", .text, "What to do about it, as a clause.") {
                $0.isWhole ? $0.finding.remedy : nil
            }
        }
    }
}

extension [HealthFinding] {
    /// Whether something does not work.
    var hasFailure: Bool { contains { $0.severity == .failure } }

    /// The findings as text for programs that watch the daemon: one line each, followed by its remedy.
    var text: String {
        guard !isEmpty else { return "ok" }
        let lines = map { "\($0.severity.rawValue) \($0.id): \($0.text)\n  \($0.remedy)" }
        return ((hasFailure ? [] : ["ok"]) + lines).joined(separator: "\n")
    }
}
