import Daemon
import Foundation
import RPC
import SocketServer

/// The checks of everything that a working daemon needs.
struct Doctor {
    let daemon: SocketOption
    /// The configuration file to check; by default the daemon's, or the system's.
    let configurationFile: String?
    /// Whether to check the whole store, however long that takes.
    let isThorough: Bool
    /// The trials that send or show something.
    var trial = Trial()

    /// The trials that send or show something, which run only on request.
    struct Trial: Sendable {
        /// The address for a test mail; `nil` for no mail.
        var mail: String?
        /// Whether to pass a notification to the hook.
        var hook = false
    }

    /// The report of a daemon that answers, and whether this user may make changes there.
    struct Examination: Sendable {
        let report: DaemonReport
        let mayChange: Bool
    }

    /// Runs the checks, in the order in which they depend on each other.
    func findings() async -> [Finding] {
        let socket = checkSocket()
        // A running daemon reports its own configuration file.
        let attempt = socket.state == .ok ? await attemptExamination() : nil
        let (configurationFindings, loaded) = checkConfiguration(of: try? attempt?.get())
        var findings = configurationFindings + checkUnit()
        findings.append(socket)
        var examination: Examination?
        if let attempt {
            do {
                let found = try attempt.get()
                findings += [checkVersion(found), checkRights(found, loaded)] + checkHealth(found)
                if found.mayChange { findings += await tryOut() }
                examination = found
            } catch let error as SocketError where error.code == .noServer {
                findings.append(.fail("daemon", "no daemon listens at \(daemon.path)", Self.starting))
            } catch {
                findings.append(
                    .fail("daemon", "it does not answer: \(error)", "see its log: journalctl -u waymark -n 50"))
            }
        }
        if let path = examination?.report.info.text("store") ?? loaded?.configuration.store {
            findings += checkDisk(of: path)
            findings += await checkSoundness(
                of: path, isReported: examination?.report.stats["store"]?.text("damage") != nil)
        }
        let hasReceiver = examination?.report.receivers.contains { $0.isOnline != nil || $0.isAwaited } ?? false
        if !hasReceiver, loaded?.configuration.sources.isEmpty ?? true {
            // This says more than the daemon's remark that it has no receiver.
            findings.removeAll { $0.check == "receiver" && $0.text == "none is configured" }
            findings.append(await checkGPSD(hasDaemon: examination != nil))
        }
        findings.append(checkClock())
        return findings
    }

    /// The advice on how to start a daemon.
    static let starting =
        "start the daemon: \"sudo systemctl start waymark\", or \"waymark daemon\"; --socket names another socket"

    private func attemptExamination() async -> Result<Examination, any Error> {
        do {
            return .success(try await examine())
        } catch {
            return .failure(error)
        }
    }

    private func examine() async throws -> Examination {
        try await daemon.connect(within: DaemonReport.longestWait) { client in
            let report = try await DaemonReport(from: client)
            do {
                // The daemon checks the right before the parameters. A call without parameters removes nothing.
                _ = try await client.call("sights.remove")
                return Examination(report: report, mayChange: true)
            } catch let error as RPCError {
                return Examination(report: report, mayChange: error.code != .notAllowed)
            }
        }
    }
}
