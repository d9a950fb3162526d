import ArgumentParser
import Callers
import RPC

/// The names of methods on the command line and their help, both generated from the declarations.
enum MethodHelp {
    /// Returns the verb of a method: `sign-up` for `people.signUp`.
    static func verb(of method: Method<Principal>) -> String {
        verb(of: method.name.drop { $0 != "." }.dropFirst())
    }

    /// Returns the verb for the part of a method's name after the dot: `sign-up` for `signUp`.
    static func verb(of name: Substring) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "-\($1.lowercased())" : String($1) }
    }

    /// Replaces methods in a message with their commands: `"waymark people sign-in"` for `people.signIn`.
    ///
    /// Methods without a command stay unchanged, and so do names of settings: `the setting people.invitation`.
    static func naming(commandsIn message: String) -> String {
        message.replacing(/(\bsetting )?\b([a-z]+)\.([a-z][A-Za-z]*)\b/) { match in
            guard match.1 == nil, let noun = Nouns.all.first(where: { $0.name == match.2 }) else {
                return String(match.0)
            }
            return "\"\(noun.command(for: match.3))\""
        }
    }

    /// Returns whether a parameter is a limit of speed, which commands take in km/h.
    static func isSpeedLimit(_ field: Field) -> Bool { field.name == "speed_limit" }

    /// Returns the option of a parameter, without its hyphens: `first-name` for `first_name`.
    static func option(of field: Field) -> String { option(of: field.name) }

    /// Returns the option of the parameter with a name, without its hyphens.
    static func option(of name: String) -> String { name.replacing("_", with: "-") }

    /// Returns the help of a noun, with its handwritten verbs and then those of methods.
    static func verbs(of noun: any Noun.Type, _ methods: [Method<Principal>]) -> String {
        let written = noun.written?.configuration.subcommands.map { $0.configuration } ?? []
        let verbs =
            written.map { ($0.commandName ?? "", $0.abstract) }
            + methods.map { (verb(of: $0), naming(commandsIn: $0.summary)) }
        let width = verbs.map(\.0.count).max() ?? 0
        let lines = verbs.map { "  \($0)\(String(repeating: " ", count: width - $0.count + 2))\($1)" }
        return """
            OVERVIEW: \(noun.abstract)

            USAGE: waymark \(noun.command) <verb> ...

            VERBS:
            \(lines.joined(separator: "\n"))

              "waymark \(noun.command) <verb> --help" shows the parameters of a verb.

            \(Examples.text(of: noun.examples))
            """
    }

    /// Returns the help of a method.
    static func text(of method: Method<Principal>, noun: String) -> String {
        var usage = "waymark \(noun) \(verb(of: method))"
        for field in method.parameters {
            usage +=
                field.isRequired ? " <\(option(of: field))>" : " [--\(option(of: field)) <\(field.schema.placeholder)>]"
        }
        var lines = [
            "OVERVIEW: \(naming(commandsIn: method.summary))", "",
            "USAGE: \(usage) [--json] [--utc] [--socket <path> | --store <file>]",
        ]
        if !method.parameters.isEmpty {
            lines += [
                "",
                "PARAMETERS: each as an option, or in this order without its name; - reads a line from standard input.",
            ]
            let names = method.parameters.map { "--\(option(of: $0)) <\($0.schema.placeholder)>" }
            let width = min(names.map(\.count).max() ?? 0, 34)
            for (name, field) in zip(names, method.parameters) {
                let gap = String(repeating: " ", count: max(2, width - name.count + 2))
                var doc = field.fullDoc
                // The command also finds a plan by its title.
                if field.name == "plan" { doc = "The plan: its id, its title, or how that begins." }
                if isSpeedLimit(field) { doc = doc.replacing("metres a second", with: "km/h") }
                lines.append("  \(name)\(gap)\(naming(commandsIn: doc))\(field.isRequired ? " Required." : "")")
            }
        }
        if let question = method.question {
            lines += ["", "The command asks \"\(question)\" first; --yes skips the question."]
        }
        return lines.joined(separator: "\n")
    }
}
