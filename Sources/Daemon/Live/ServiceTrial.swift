import Accounts
import Foundation
import Media
import Notifications
import Positioning
import RPC
import Service
import TextCoding

/// Tries what a daemon runs for people as the daemon itself would run it: in its sandbox, as its user.
///
/// Nothing is sent and nobody is told anything, unless that is asked for.
struct ServiceTrial: Sendable {
    /// What is tried.
    enum Part: String, CaseIterable, Sendable {
        case mail, hook, pictures
    }

    /// What came of a trial.
    struct Outcome: Hashable, Sendable {
        /// What was tried.
        var part: Part
        /// What was done, as a clause; what was to be done, where that failed.
        var done: String
        /// Why it failed; nil where it did not.
        var problem: String?
    }

    private let features: Features
    /// How long looking for a command may take, in seconds.
    private static let longestSearch = 5

    /// Tries what the features run.
    init(_ features: Features) { self.features = features }

    /// Tries everything that is configured, one after another; it may take two minutes.
    ///
    /// - Parameters:
    ///   - address: to whom a mail is sent; nil for nobody, where the command is only looked for.
    ///   - runsHook: whether the hook is given a notification.
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
                problem: "neither mail.command nor mail.file is configured, and mails stay in the outbox")
        }
        let mail = Mail(
            to: address, name: "", subject: "A trial of Waymark's mail",
            body: "An administrator has tried whether Waymark can send mail. It can.\n")
        do {
            try await MailDelivery(features.context, features.accounts).send(mail, 0)
            return Outcome(part: .mail, done: "a mail to \(address) was given to \(place)")
        } catch {
            return Outcome(part: .mail, done: "give a mail to \(place)", problem: "\(error)")
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
                json.member("text", "An administrator tries the notifications of <b>Waymark</b>.")
            }
        }
        do throws(Command.Failure) {
            try await Command(text).run(given: event.bytes + [UInt8(ascii: "\n")], within: NotificationHook.longestRun)
            return Outcome(part: .hook, done: "\(text) was given a notification")
        } catch {
            return Outcome(part: .hook, done: "give a notification to \(text)", problem: "\(error)")
        }
    }

    private func pictures() async -> Outcome {
        do {
            try await features.media.pictureTool.tryOut()
            return Outcome(part: .pictures, done: "GraphicsMagick draws pictures")
        } catch {
            return Outcome(
                part: .pictures, done: "draw a picture", problem: (error as? Refusal)?.message ?? "\(error)")
        }
    }

    /// Whether there is a command that may be run, which is not run.
    private func search(for text: String, _ part: Part) async -> Outcome {
        let name = text.split(separator: " ").first.map(String.init) ?? ""
        let search = Command(words: ["sh", "-c", #"[ -x "$(command -v -- "$0")" ]"#, name])
        do throws(Command.Failure) {
            try await search.run(given: [], within: Self.longestSearch)
            return Outcome(part: part, done: "\(name) is there, and was not run")
        } catch {
            let isMissing = if case .ended = error.reason { true } else { false }
            return Outcome(
                part: part, done: "look for \(name)",
                problem: isMissing ? "there is no command \(name) that the daemon may run" : "\(error)")
        }
    }
}
