import RPC
import SocketServer

/// What the daemon runs for people, tried by the daemon.
extension Doctor {
    /// The trials may take two minutes, and a little more.
    private static let longestTrial = Duration.seconds(150)

    /// Has the daemon try its mail, its hook and its picture tool.
    func tryOut() async -> [Finding] {
        var parameters: JSONObject = ["hook": .bool(trial.hook)]
        parameters["mail"] = trial.mail.map { .string($0) }
        do {
            let answer = try await daemon.connect(within: Self.longestTrial) { [parameters] in
                try await $0.call("server.trial", parameters)
            }
            return answer.elements("trials").map(Self.finding)
        } catch let error as RPCError where error.code == .methodNotFound {
            // An older daemon, which the check of its version tells of.
            return []
        } catch {
            return [
                .fail(
                    "trial", "the daemon cannot try what it runs: \(error)", "see its log: journalctl -u waymark -n 50")
            ]
        }
    }

    private static func finding(_ trial: JSONValue) -> Finding {
        let (part, done) = (trial.text("part") ?? "", trial.text("done") ?? "")
        guard let problem = trial.text("problem") else { return .ok(part, done) }
        let text = "cannot \(done): \(problem)"
        return switch part {
        // Nothing else needs them.
        case "pictures": .warn(part, text, "square photos and copies of HEIC are not made before that is mended")
        case "mail":
            .fail(part, text, "mend mail in the configuration; its comments say what each way needs of the service")
        default: .fail(part, text, "mend notifications.hook in the configuration")
        }
    }
}
