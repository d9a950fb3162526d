import ArgumentParser
import Foundation

/// `--yes`: what is gone for good is asked about before.
struct Consent: ParsableArguments {
    @Flag(help: "Do it without asking.")
    var yes = false

    func validate() throws {
        guard yes || Paint.isTerminal(STDIN_FILENO) else {
            throw ValidationError("There is no terminal to ask at whether that is meant; say so with --yes.")
        }
    }

    /// Whether whoever is at the terminal says yes to a question; anything else than `y` or `yes` is no.
    func isGiven(for question: String) -> Bool {
        if yes { return true }
        try? FileHandle.standardError.write(contentsOf: Data("\(EventLines.printable(question)) [y/N] ".utf8))
        return ["y", "yes"].contains(readLine()?.trimmingCharacters(in: .whitespaces).lowercased())
    }
}
