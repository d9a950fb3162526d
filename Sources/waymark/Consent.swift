import ArgumentParser
import Foundation

/// `--yes`: what is gone for good is asked about before.
struct Consent: ParsableArguments {
    @Flag(help: "Do it without asking.")
    var yes = false

    /// Refuses where nobody can be asked, in one line.
    ///
    /// - Parameter reason: why it is asked, as a sentence with a blank behind it.
    /// - Throws: `ExitCode` after it has told that.
    func check(_ reason: String = "") throws {
        guard !yes, !Paint.isTerminal(STDIN_FILENO) else { return }
        Failure.note("\(reason)Nothing changed: add --yes to confirm.")
        throw ExitCode.validationFailure
    }

    /// Whether whoever is at the terminal says yes to a question; anything else than `y` or `yes` is no.
    ///
    /// Call ``check()`` first, before anything is done.
    func isGiven(for question: String) -> Bool {
        if yes { return true }
        return ["y", "yes"].contains(Self.line(asking: "\(question) [y/N]")?.lowercased())
    }

    /// The line that is typed in answer to a question, without blanks around it; nil at the end of the input.
    static func line(asking question: String) -> String? {
        try? FileHandle.standardError.write(contentsOf: Data("\(EventLines.printable(question)) ".utf8))
        return readLine()?.trimmingCharacters(in: .whitespaces)
    }
}
