#if Companion
import People
import Callers
import Foundation
import Photos
import Notifications
import Positioning
import RPC
import Service
import TextCoding
import Time

/// A trial of the programs that a daemon runs for people, under the daemon's own conditions: its sandbox and its user.
///
/// It sends no mail and no notification unless the caller requests that.
struct ServiceTrial: Sendable {
    /// A program that can be tried.
    enum Part: String, CaseIterable, Sendable {
        case mail, hook, pictures
    }

    /// The result of one trial.
    struct Outcome: Hashable, Sendable {
        var part: Part
        /// A clause that says what was done or, after a failure, what was attempted.
        var done: String
        /// The reason for a failure; `nil` after a success.
        var problem: String?
    }

    private let features: Features
    /// The longest time to look for a command, in seconds.
    private static let longestSearch = 5

    init(_ features: Features) { self.features = features }

    /// Tries everything that is configured, one after another; this may take two minutes.
    ///
    /// - Parameters:
    ///   - address: The address to send a mail to; with `nil`, it only checks that the command exists.
    ///   - runsHook: Whether to run the hook with a notification.
    func run(mailTo address: String?, runsHook: Bool) async -> [Outcome] {
        var outcomes: [Outcome] = []
        if let outcome = await mail(to: address) { outcomes.append(outcome) }
        if let outcome = await hook(runs: runsHook) { outcomes.append(outcome) }
        outcomes.append(await pictures())
        return outcomes
    }

    private func mail(to address: String?) async -> Outcome? {
        let (command, file) = (features.accounts.settings.mailCommand, features.accounts.settings.mailFile)
        let place = command ?? file
        guard let address else {
            guard let command else { return nil }
            return await search(for: command, .mail)
        }
        guard let place else {
            return Outcome(
                part: .mail, done: "send a mail to \(address)",
                problem: "neither mail.command nor mail.file is configured, so mails stay in the outbox")
        }
        let mail = Mail(
            to: address, name: "", subject: "A test of Waymark's mail",
            body: "An administrator is testing whether Waymark can send mail. It can.\n")
        do {
            try await MailDelivery(features.context, features.accounts).send(mail, 0)
            return Outcome(part: .mail, done: "a mail to \(address) was passed to \(place)")
        } catch {
            return Outcome(part: .mail, done: "pass a mail to \(place)", problem: "\(error)")
        }
    }

    private func hook(runs: Bool) async -> Outcome? {
        guard let text = features.notificationHook else { return nil }
        guard runs else { return await search(for: text, .hook) }
        let event = JSONText.object { json in
            json.member("seq", 0)
            json.member("type", "notification")
            json.member("time", features.context.now().description)
            json.member("to", "")
            json.object("notification") { json in
                json.member("id", "0")
                json.member("kind", "trial")
                json.member("text", "An administrator is testing the notifications of <b>Waymark</b>.")
            }
        }
        do throws(Command.Failure) {
            try await Command(text).run(
                given: event.bytes + [UInt8(ascii: "\n")], within: NotificationHook.longestRun)
            return Outcome(part: .hook, done: "a notification was passed to \(text)")
        } catch {
            return Outcome(part: .hook, done: "pass a notification to \(text)", problem: "\(error)")
        }
    }

    private func pictures() async -> Outcome {
        do {
            try await features.media.pictureTool.tryOut()
            return Outcome(part: .pictures, done: "GraphicsMagick can draw pictures")
        } catch {
            return Outcome(
                part: .pictures, done: "draw a picture", problem: (error as? Refusal)?.message ?? "\(error)")
        }
    }

    /// Checks whether a command exists and may be run, without running it.
    private func search(for text: String, _ part: Part) async -> Outcome {
        let name = text.split(separator: " ").first.map(String.init) ?? ""
        let search = Command(words: ["sh", "-c", #"[ -x "$(command -v -- "$0")" ]"#, name])
        do throws(Command.Failure) {
            try await search.run(given: [], within: Self.longestSearch)
            return Outcome(part: part, done: "\(name) exists and was not run")
        } catch {
            let isMissing = if case .ended = error.reason { true } else { false }
            return Outcome(
                part: part, done: "look for \(name)",
                problem: isMissing ? "there is no command \(name) that the daemon may run" : "\(error)")
        }
    }

    /// Returns the method `server.trial`.
    static func method(of features: Features) -> Method<Principal> {
        let outcome = AnswerShape<ServiceTrial.Outcome>.object {
            Member("part", .choice, "The program that was tried.") { $0.part }
            Member("done", .text, "What was done or, after a failure, what was attempted, as a clause.") { $0.done }
            Member.optional("problem", .text, "The reason for the failure; absent after a success.") { $0.problem }
        }
        return Method(
            "server.trial",
            "Tries the mail command, the notification hook and the picture tool as the daemon runs them. It sends a mail or runs the hook only if you ask for that.",
            Parameter<String?>.optional(
                "mail", .string(length: 3...254), "The address to send a mail to; none by default."),
            .optional(
                "hook", .boolean, default: false, "Whether to run the hook with a notification of the kind `trial`."
            ),
            answers: .object {
                Member(
                    "trials", .array(of: outcome),
                    "The results, one for each program that is configured or was asked for."
                ) { $0 }
            },
            errors: [.invalidValue], right: .change
        ) { _, address, runsHook in
            guard address?.contains("@") ?? true else { throw Refusal.invalid("mail", "must be an e-mail address") }
            return await ServiceTrial(features).run(mailTo: address, runsHook: runsHook)
        }
    }
}
#endif
