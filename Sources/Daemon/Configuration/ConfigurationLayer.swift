internal import Configuration
import TextCoding

/// What one place says of the configuration (the defaults, the file, the environment or the flags), each value
/// checked and with its origin.
struct ConfigurationLayer {
    /// A piece of a value, and where it stands.
    struct Piece {
        var text: String
        var origin: String
    }

    /// What a key is set to.
    enum Value {
        case text(Piece)
        /// A list, its elements, and where it begins.
        case list([Piece], origin: String)

        var origin: String {
            switch self {
            case .text(let piece): piece.origin
            case .list(_, let origin): origin
            }
        }
    }

    let name: String
    private(set) var values: [ConfigurationKey: Value] = [:]
    private(set) var problems: [ConfigurationError.Problem] = []

    init(name: String) { self.name = name }

    /// How many receivers may be configured: more than any machine has, and each costs a task.
    static let mostSources = 64
    /// How much of a wrong value is repeated in the message about it.
    private static let longestQuote = 80

    /// Takes a value, or notes what is wrong with it.
    mutating func set(_ key: ConfigurationKey, to value: Value, checkingURL: (String) throws -> Void) {
        switch (key.form, value) {
        case (.sources, .list(let pieces, let origin)): check(pieces, origin, checkingURL)
        case (.sources, .text(let piece)):
            note(piece.origin, key, "this is a list; write each source on its line as \"- NAME=URL\"")
        case (_, .list(_, let origin)): note(origin, key, "one value belongs here, not a list: \(key.form.allowed)")
        case (let form, .text(let piece)):
            if !form.accepts(piece.text) {
                note(piece.origin, key, "\(Self.quoted(piece.text)) is not \(form.allowed)")
            }
        }
        values[key] = value
    }

    /// Takes a value as it is: one of the program's own.
    mutating func take(_ key: ConfigurationKey, _ value: Value) { values[key] = value }

    /// Notes a problem.
    mutating func note(_ origin: String, _ key: ConfigurationKey, _ reason: String) {
        note(ConfigurationError.Problem(origin: origin, key: key.rawValue, reason: reason))
    }

    /// Notes a problem.
    mutating func note(_ problem: ConfigurationError.Problem) { problems.append(problem) }

    private mutating func check(_ pieces: [Piece], _ origin: String, _ checkURL: (String) throws -> Void) {
        var names: Set<String> = []
        for piece in pieces.prefix(Self.mostSources) {
            guard let source = DaemonConfiguration.Source(piece.text) else {
                note(piece.origin, .sources, "\(Self.quoted(piece.text)) is not \(ValueForm.sources.allowed)")
                continue
            }
            if !names.insert(source.name).inserted {
                note(piece.origin, .sources, "the name \(source.name) is used twice; each source needs its own")
            }
            do {
                try checkURL(source.url)
            } catch {
                note(piece.origin, .sources, "\(source.name): \(error)")
            }
        }
        if pieces.count > Self.mostSources {
            note(origin, .sources, "there are \(pieces.count) sources, and at most \(Self.mostSources) can be")
        }
    }

    /// The text as it is told, without what could disturb a terminal.
    static func quoted(_ text: String) -> String {
        let shown = text.count > longestQuote ? text.prefix(longestQuote) + "…" : text[...]
        // Swift escapes the control characters of ASCII alone.
        return ControlCharacters.replaced(String(shown).debugDescription)
    }

    /// The layer as the configuration library takes it.
    var provider: InMemoryProvider {
        let content = values.map { key, value in
            let content: ConfigContent =
                switch value {
                case .text(let piece): .string(piece.text)
                case .list(let pieces, _): .stringArray(pieces.map(\.text))
                }
            return (AbsoluteConfigKey(key.path), ConfigValue(content, isSecret: false))
        }
        return InMemoryProvider(name: name, values: Dictionary(uniqueKeysWithValues: content))
    }
}
