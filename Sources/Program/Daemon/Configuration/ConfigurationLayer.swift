internal import Configuration
import TextCoding

#if Companion
import EventHooks
import WebClient
#endif

/// The values from one origin: the defaults, the file, the environment or the flags.
///
/// Each value is checked and knows its origin.
struct ConfigurationLayer {
    /// A text with its origin.
    struct Piece {
        var text: String
        var origin: String
    }

    /// The value of a key.
    enum Value {
        case text(Piece)
        /// The elements of a list, and the origin of its beginning.
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

    /// The most receivers that can be configured: more than any machine has, and each costs a task.
    static let maximumSources = 64
    /// The most hooks for events: each costs a task, and one can have many types of events.
    static let maximumHooks = 8
    /// The number of characters of a wrong value that its message repeats.
    private static let longestQuote = 80

    /// Sets a value, and notes any problem with it.
    mutating func set(_ key: ConfigurationKey, to value: Value, checkingURL: (String) throws -> Void) {
        guard ConfigurationKey.allCases.contains(key) else {
            return note(value.origin, key, "this Waymark is the engine alone, and only the whole one has this key")
        }
        switch (key.form, value) {
        case (.sources, .list(let pieces, let origin)): check(pieces, origin, checkingURL)
        case (.sources, .text(let piece)):
            note(piece.origin, key, "this is a list; write each source on its own line as \"- NAME=URL\"")
        case (.hooks, .list(let pieces, let origin)): checkHooks(pieces, origin)
        case (.hooks, .text(let piece)):
            note(piece.origin, key, "this is a list; write each hook as \"- command: COMMAND\" or \"- url: URL\"")
        case (_, .list(_, let origin)): note(origin, key, "this key takes one value, not a list: \(key.form.allowed)")
        case (let form, .text(let piece)):
            if !form.accepts(piece.text) {
                note(piece.origin, key, "\(Self.quoted(piece.text)) is not \(form.allowed)")
            }
        }
        values[key] = value
    }

    /// Sets a value without checking it, because it is one of the program's own.
    mutating func set(_ key: ConfigurationKey, _ value: Value) { values[key] = value }

    mutating func note(_ origin: String, _ key: ConfigurationKey, _ reason: String) {
        note(ConfigurationError.Problem(origin: origin, key: key.rawValue, reason: reason))
    }

    mutating func note(_ problem: ConfigurationError.Problem) { problems.append(problem) }

    private mutating func check(_ pieces: [Piece], _ origin: String, _ checkURL: (String) throws -> Void) {
        var names: Set<String> = []
        for piece in pieces.prefix(Self.maximumSources) {
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
        if pieces.count > Self.maximumSources {
            note(origin, .sources, "there are \(pieces.count) sources; the maximum is \(Self.maximumSources)")
        }
    }

    private mutating func checkHooks(_ pieces: [Piece], _ origin: String) {
        #if Companion
        var names: Set<String> = []
        for piece in pieces.prefix(Self.maximumHooks) {
            do throws(WebFailure) {
                let hook = try EventHookSettings(piece.text)
                if !names.insert(hook.name).inserted {
                    note(
                        piece.origin, .eventHooks, "another hook has the same name or destination; give each a name"
                    )
                }
            } catch {
                note(piece.origin, .eventHooks, "\(error)")
            }
        }
        #endif
        if pieces.count > Self.maximumHooks {
            note(origin, .eventHooks, "there are \(pieces.count) hooks; the maximum is \(Self.maximumHooks)")
        }
    }

    /// Returns a text in quotation marks, without characters that could disturb a terminal.
    static func quoted(_ text: String) -> String {
        let shown = text.count > longestQuote ? text.prefix(longestQuote) + "…" : text[...]
        // Swift escapes only the control characters of ASCII.
        return ControlCharacters.replaced(String(shown).debugDescription)
    }

    /// The layer in the form of the configuration library.
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
