import ArgumentParser
import EventStream
import RPC

/// What methods are called on the command line, and how they are used: all of it from their declarations.
enum MethodHelp {
    /// The word for a method behind its noun: `sign-up` for `people.signUp`.
    static func verb(of method: Method<Principal>) -> String {
        verb(of: method.name.drop { $0 != "." }.dropFirst())
    }

    /// The word for what stands behind the dot of a method's name: `sign-up` for `signUp`.
    static func verb(of name: Substring) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "-\($1.lowercased())" : String($1) }
    }

    /// A message with commands in place of methods: `"waymark people sign-in"` for `people.signIn`.
    ///
    /// Methods that no command is for stay as they are.
    static func naming(commandsIn message: String) -> String {
        message.replacing(/\b([a-z]+)\.([a-z][A-Za-z]*)\b/) { match in
            guard let noun = Nouns.all.first(where: { $0.name == match.1 }) else { return String(match.0) }
            return "\"\(noun.command(for: match.2))\""
        }
    }

    /// The option of a parameter, without its hyphens: `first-name` for `first_name`.
    static func option(of field: Field) -> String { option(of: field.name) }

    /// The option of a parameter of this name.
    static func option(of name: String) -> String { name.replacing("_", with: "-") }

    /// What a command can do: the verbs written by hand, then those of methods.
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

              "waymark \(noun.command) <verb> --help" says what one takes.

            \(Examples.text(of: noun.examples))
            """
    }

    /// How a method is used.
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
                "PARAMETERS: each as an option, or in this order without its name; - reads a line of standard input.",
            ]
            let names = method.parameters.map { "--\(option(of: $0)) <\($0.schema.placeholder)>" }
            let width = min(names.map(\.count).max() ?? 0, 34)
            for (name, field) in zip(names, method.parameters) {
                let gap = String(repeating: " ", count: max(2, width - name.count + 2))
                lines.append("  \(name)\(gap)\(naming(commandsIn: field.doc))\(field.isRequired ? " Required." : "")")
            }
        }
        if let question = method.question { lines += ["", "It asks \"\(question)\" before; --yes skips that."] }
        return lines.joined(separator: "\n")
    }
}
