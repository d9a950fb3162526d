import ArgumentParser
import EventStream
import Foundation
import RPC

/// The words behind a method's name: its parameters by position or as options, and what every command takes.
struct MethodArguments {
    private(set) var parameters = JSONObject()
    private(set) var source = SourceOptions()
    private(set) var isAgreed = false
    private(set) var json = false
    /// By which clock a terminal shows moments.
    private(set) var clock = WallClock.local

    /// Reads the words.
    ///
    /// Words that are no options are the parameters in the order of their declaration, the required ones first; a list
    /// at the end takes all that are left. An option is `--first-name` for `first_name`; of a truth value it needs no
    /// value; of a list it may come again, or have its elements behind commas where they are numbers. A list of so
    /// many numbers takes them also as so many words. A value `-` is read as a line from standard input, so that a password stands
    /// in no list of processes.
    /// - Throws: `ValidationError` for what is no parameter, or no value of one.
    /// - Parameter known: parameters that are known already, and so are no words.
    init(_ words: [String], of method: Method<Principal>, known: JSONObject = JSONObject()) throws {
        var common: [String] = []
        parameters = known
        var free = method.parameters.filter { known[$0.name] == nil }[...]
        var rest = words[...]
        var isLiteral = false
        while let word = rest.popFirst() {
            if !isLiteral, word == "--" {
                isLiteral = true
            } else if !isLiteral, word.hasPrefix("--") {
                let (name, inline) = Self.option(word)
                if ["socket", "store"].contains(name) {
                    guard let value = inline ?? rest.popFirst() else {
                        throw ValidationError("--\(name) has no value.")
                    }
                    common += ["--\(name)", value]
                } else if name == "json" {
                    json = true
                } else if name == "yes" {
                    isAgreed = true
                } else if name == "utc" {
                    clock = .utc
                } else {
                    try takeOption(name, inline, &rest, of: method)
                }
            } else {
                while let field = free.first, parameters[field.name] != nil, !field.schema.isList { free.removeFirst() }
                guard let field = free.first else {
                    throw ValidationError("\"\(word)\" is more than \(method.name) takes.")
                }
                try set(field, word)
                if !field.schema.isList { free.removeFirst() }
            }
        }
        source = try SourceOptions.parse(common)
    }

    /// The required parameters that are missing.
    func missing(of method: Method<Principal>) -> [Field] {
        method.parameters.filter { $0.isRequired && parameters[$0.name] == nil }
    }

    /// Asks at a terminal for parameters, each on a line; what is secret is not shown.
    ///
    /// - Throws: `ValidationError` where the input ends, or a value will not do.
    mutating func ask(for fields: [Field]) throws {
        for field in fields {
            let name = MethodHelp.option(of: field).replacing("-", with: " ")
            let choices = field.schema.placeholder.split(separator: "|")
            let hint =
                field.schema.isFlag ? " [y/N]" : choices.count > 1 ? " (\(choices.joined(separator: " or ")))" : ""
            guard
                let line = Self.secret.contains(field.name)
                    ? SecretLine.read(prompt: "\(name): ")
                    : Consent.line(asking: "\(name)\(hint):")
            else { throw ValidationError("Nothing was given for \(name).") }
            let isYes = ["y", "yes"].contains(line.lowercased())
            try set(field, field.schema.isFlag ? (isYes ? "true" : "false") : line)
        }
    }

    /// The parameters that nobody should read over a shoulder.
    private static let secret: Set = ["password", "password_again", "current", "new", "again", "passcode"]

    private static func option(_ word: String) -> (name: String, value: String?) {
        let text = word.dropFirst(2)
        guard let equals = text.firstIndex(of: "=") else { return (String(text), nil) }
        return (String(text[..<equals]), String(text[text.index(after: equals)...]))
    }

    private mutating func takeOption(
        _ name: String, _ inline: String?, _ rest: inout ArraySlice<String>, of method: Method<Principal>
    ) throws {
        guard let field = method.parameters.first(where: { MethodHelp.option(of: $0) == name }) else {
            let known =
                method.parameters.map { "--\(MethodHelp.option(of: $0))" } + ["--json", "--utc", "--socket", "--store"]
            throw ValidationError("There is no option --\(name); there are \(known.joined(separator: ", ")).")
        }
        if let inline { return try set(field, inline) }
        if field.schema.isFlag {
            // A truth value may follow, and need not.
            guard let next = rest.first, ["true", "false"].contains(next) else { return try set(field, "true") }
        }
        guard let value = rest.popFirst() else { throw ValidationError("--\(name) has no value.") }
        try set(field, value)
    }

    private mutating func set(_ field: Field, _ word: String) throws {
        let text = word == "-" ? try Self.line(asking: field) : word
        guard let value = field.schema.value(of: text) else {
            throw ValidationError("\"\(text)\" is no value of \(field.name), which is \(field.schema.placeholder).")
        }
        if case .array(let more) = value, case .array(let before)? = parameters[field.name] {
            parameters[field.name] = .array(before + more)
        } else {
            parameters[field.name] = value
        }
    }

    /// A line of standard input, not shown where it is typed.
    private static func line(asking field: Field) throws -> String {
        guard let line = SecretLine.read(prompt: "\(MethodHelp.option(of: field)): ") else {
            throw ValidationError("Standard input has no line for \(field.name).")
        }
        return line
    }
}
