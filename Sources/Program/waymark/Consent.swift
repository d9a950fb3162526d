import ArgumentParser
import Foundation

/// The option `--yes`, which skips the question before an action that cannot be undone.
struct Consent: ParsableArguments {
    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    /// Fails with a message of one line if there is neither `--yes` nor a terminal to ask at.
    ///
    /// - Parameter reason: Why a confirmation is needed, as a sentence followed by a blank.
    /// - Throws: `ExitCode` after printing the message.
    func check(_ reason: String = "") throws {
        guard !yes, !Paint.isTerminal(STDIN_FILENO) else { return }
        Failure.note("\(reason)Nothing changed: add --yes to confirm.")
        throw ExitCode.validationFailure
    }

    /// Asks a question at the terminal, and returns whether the answer is `y` or `yes`.
    ///
    /// Call ``check(_:)`` first, before anything is done.
    func isGiven(for question: String) -> Bool {
        if yes { return true }
        return ["y", "yes"].contains(Self.line(asking: "\(question) [y/N]")?.lowercased())
    }

    /// Asks a question, and returns the line typed, without blanks around it; `nil` at the end of the input.
    static func line(asking question: String) -> String? {
        try? FileHandle.standardError.write(contentsOf: Data("\(EventFormatter.printable(question)) ".utf8))
        return readLine()?.trimmingCharacters(in: .whitespaces)
    }
}
