import ArgumentParser
import Callers
import Foundation
import Geodesy
import RPC

/// The words after a method's name: its parameters by position or as options, and the options of every command.
struct MethodArguments {
    private(set) var parameters = JSONObject()
    private(set) var source = SourceOptions()
    private(set) var isAgreed = false
    private(set) var json = false
    /// The clock by which a terminal shows timestamps.
    private(set) var clock = DisplayClock.local

    /// Parses the words.
    ///
    /// Words that are not options are the parameters in the order of their declaration, required ones first. A list at
    /// the end takes all words that are left. The option of `first_name` is `--first-name`. The option of a Boolean
    /// needs no value. The option of a list may be repeated; a list of numbers also accepts its elements in one word
    /// with commas, and a list at the end as separate words. A limit of speed is in km/h. A value `-` is read as a line from standard input, so that
    /// a password does not appear in the list of processes.
    ///
    /// - Parameter known: Parameters that are known already and therefore missing among the words.
    /// - Throws: `ValidationError` for a word that is no parameter, or an invalid value.
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
                    try parseOption(name, inline, &rest, of: method)
                }
            } else {
                while let field = free.first, parameters[field.name] != nil, !field.schema.isList { free.removeFirst() }
                guard let field = free.first else {
                    throw ValidationError("\"\(word)\" is one value too many for \(method.name).")
                }
                try set(field, word)
                if !field.schema.isList { free.removeFirst() }
            }
        }
        source = try SourceOptions.parse(common)
    }

    /// Returns the required parameters that are missing.
    func missing(of method: Method<Principal>) -> [Field] {
        method.parameters.filter { $0.isRequired && parameters[$0.name] == nil }
    }

    /// Asks for parameters at the terminal, one per line; secrets are not echoed.
    ///
    /// - Throws: `ValidationError` if the input ends or a value is invalid.
    mutating func ask(for fields: [Field]) throws {
        for field in fields {
            let name = MethodHelp.option(of: field).replacing("-", with: " ")
            let choices = field.schema.placeholder.split(separator: "|")
            let hint =
                field.schema.isFlag ? " [y/N]" : choices.count > 1 ? " (\(choices.joined(separator: " or ")))" : ""
            guard
                let line = field.schema.isSecret
                    ? SecretLine.read(prompt: "\(name): ")
                    : Consent.line(asking: "\(name)\(hint):")
            else { throw ValidationError("You gave no value for \(name).") }
            let isYes = ["y", "yes"].contains(line.lowercased())
            try set(field, field.schema.isFlag ? (isYes ? "true" : "false") : line)
        }
    }

    private static func option(_ word: String) -> (name: String, value: String?) {
        let text = word.dropFirst(2)
        guard let equals = text.firstIndex(of: "=") else { return (String(text), nil) }
        return (String(text[..<equals]), String(text[text.index(after: equals)...]))
    }

    private mutating func parseOption(
        _ name: String, _ inline: String?, _ rest: inout ArraySlice<String>, of method: Method<Principal>
    ) throws {
        guard let field = method.parameters.first(where: { MethodHelp.option(of: $0) == name }) else {
            let known =
                method.parameters.map { "--\(MethodHelp.option(of: $0))" } + ["--json", "--utc", "--socket", "--store"]
            throw ValidationError("There is no option --\(name). The options are \(known.joined(separator: ", ")).")
        }
        if let inline { return try set(field, inline) }
        if field.schema.isFlag {
            // The value of a Boolean is optional.
            guard let next = rest.first, ["true", "false"].contains(next) else { return try set(field, "true") }
        }
        guard let value = rest.popFirst() else { throw ValidationError("--\(name) has no value.") }
        try set(field, value)
    }

    private mutating func set(_ field: Field, _ word: String) throws {
        let text = word == "-" ? try Self.line(asking: field) : word
        guard let value = field.schema.value(of: text) else {
            throw ValidationError(
                "\"\(text)\" is not valid for \(field.name), which takes \(field.schema.placeholder).")
        }
        if MethodHelp.isSpeedLimit(field), let speed = Double(json: value) {
            // As in the other commands, a limit of speed is in km/h.
            parameters[field.name] = .number(Speed.kilometersPerHour(speed).metersPerSecond)
        } else if case .array(let more) = value, case .array(let before)? = parameters[field.name] {
            parameters[field.name] = .array(before + more)
        } else {
            parameters[field.name] = value
        }
    }

    /// Reads a line of standard input, without echo at a terminal.
    private static func line(asking field: Field) throws -> String {
        guard let line = SecretLine.read(prompt: "\(MethodHelp.option(of: field)): ") else {
            throw ValidationError("Standard input has no line for \(field.name).")
        }
        return line
    }
}
