import Daemon
import Foundation
import RPC
import SocketServer

/// Looks at everything that a working daemon needs, and says of each whether it is as it should be.
struct Doctor {
    let daemon: SocketOption
    /// The file to check, instead of the system's.
    let configurationFile: String?
    /// Whether the whole store is looked at, however long that takes.
    let isThorough: Bool
    /// What the daemon is to try beyond looking for commands.
    var trial = Trial()

    /// What is sent or shown only if someone wants it.
    struct Trial: Sendable {
        /// To whom a mail goes; nil for nobody.
        var mail: String?
        /// Whether the hook is given a notification.
        var hook = false
    }

    /// What a daemon that answers says, and whether this user may change things there.
    struct Examination: Sendable {
        let report: DaemonReport
        let mayChange: Bool
    }

    /// The checks, in the order in which things depend on each other.
    func findings() async -> [Finding] {
        let socket = checkSocket()
        // What the daemon runs by, it says itself.
        let attempt = socket.state == .ok ? await attemptExamination() : nil
        let (configurationFindings, loaded) = checkConfiguration(of: try? attempt?.get())
        var findings = configurationFindings + checkUnit()
        findings.append(socket)
        var examination: Examination?
        if let attempt {
            do {
                let found = try attempt.get()
                findings += [checkVersion(found), checkRights(found, loaded), checkStore(found)]
                if found.mayChange { findings += await tryOut() }
                examination = found
            } catch let error as SocketError where error.code == .noServer {
                findings.append(.fail("daemon", "nobody listens at \(daemon.path)", Self.starting))
            } catch {
                findings.append(
                    .fail("daemon", "it does not answer: \(error)", "see its log: journalctl -u waymark -n 50"))
            }
        }
        if let path = examination?.report.info.text("store") ?? loaded?.configuration.store {
            findings += checkDisk(of: path)
            findings += await checkSoundness(of: path)
        }
        let receivers = examination.map { checkReceivers($0.report) } ?? []
        findings += receivers
        if receivers.isEmpty, loaded?.configuration.sources.isEmpty ?? true {
            findings.append(await checkGPSD(hasDaemon: examination != nil))
        }
        findings.append(checkClock())
        return findings
    }

    /// How a daemon is started.
    static let starting =
        "start the daemon: \"sudo systemctl start waymark\", or \"waymark daemon\"; --socket names another place"

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
                // The right is asked for before the parameters are, and without any nothing can be removed.
                _ = try await client.call("sights.remove")
                return Examination(report: report, mayChange: true)
            } catch let error as RPCError {
                return Examination(report: report, mayChange: error.code != .notAllowed)
            }
        }
    }
}
