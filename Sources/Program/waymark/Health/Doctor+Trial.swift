import RPC
import SocketServer

/// Checks of the programs that the daemon runs, which the daemon tries itself.
extension Doctor {
    /// The longest wait for the trials, which may take two minutes.
    private static let longestTrial = Duration.seconds(150)

    /// Asks the daemon to try its mail, its hook and its picture tool.
    func tryOut() async -> [Finding] {
        var parameters: JSONObject = ["hook": .bool(trial.hook)]
        parameters["mail"] = trial.mail.map { .string($0) }
        do {
            let answer = try await daemon.connect(within: Self.longestTrial) { [parameters] in
                try await $0.call("server.trial", parameters)
            }
            return answer.elements("trials").map(Self.finding)
        } catch let error as RPCError where error.code == .methodNotFound {
            // The daemon is older, which the check of its version reports.
            return []
        } catch {
            return [
                .fail(
                    "trial", "the daemon cannot test its programs: \(error)", "see its log: journalctl -u waymark -n 50"
                )
            ]
        }
    }

    private static func finding(_ trial: JSONValue) -> Finding {
        let (part, done) = (trial.text("part") ?? "", trial.text("done") ?? "")
        guard let problem = trial.text("problem") else { return .ok(part, done) }
        let text = "cannot \(done): \(problem)"
        return switch part {
        // Only these depend on it, so a warning is enough.
        case "pictures": .warn(part, text, "square photos and copies of HEIC photos are not made until you fix this")
        case "mail":
            .fail(part, text, "fix mail in the configuration; its comments say what each way needs from the service")
        default: .fail(part, text, "fix notifications.hook in the configuration")
        }
    }
}
