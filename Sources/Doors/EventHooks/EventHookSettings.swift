import Crypto
import EventStream
import RPC
import Service
public import WebClient

/// A hook for events as it is configured: which events it gets, and where they go.
public struct EventHookSettings: Hashable, Sendable {
    /// Where a hook's events go.
    public enum Destination: Hashable, Sendable {
        /// A command line, which gets each event on its standard input.
        case command(String)
        /// A web server, to which each event is posted.
        case url(WebURL)
    }

    /// A secret that signs the events.
    public enum Key: Hashable, Sendable {
        /// The secret itself.
        case text(String)
        /// A file that holds the secret.
        case file(SecretFile)
    }

    /// The name under which the place of the hook in the log is kept; by default a digest of its destination.
    public var name: String
    /// Where the events go.
    public var destination: Destination
    /// The patterns of the types of events; nothing for all that are stored.
    public var types: [String] = []
    /// The devices; nothing for all.
    public var devices: [String] = []
    /// The geofences, as `KIND/ID`; nothing for all.
    public var geofences: [String] = []
    /// What signs the events; `nil` for no signature.
    public var key: Key?

    /// The longest command, in bytes.
    private static let longestCommand = 4_000
    /// The longest name, in bytes.
    private static let longestName = 64
    private static let members: Set = [
        "name", "types", "devices", "geofences", "command", "url", "secret", "secret-file",
    ]

    /// Creates the settings of a hook for all events.
    public init(name: String? = nil, to destination: Destination) {
        self.destination = destination
        self.name = name ?? Self.name(of: destination)
    }

    /// Reads the settings from the text of a JSON object.
    ///
    /// - Throws: ``WebFailure`` with what is wrong, as a clause.
    public init(_ text: String) throws(WebFailure) {
        guard case .object(let object)? = Self.value(text) else {
            throw WebFailure("a hook needs a command or a url")
        }
        if let unknown = object.names.first(where: { !Self.members.contains($0) }) {
            throw WebFailure(
                "a hook has no key \(unknown); the keys are \(Self.members.sorted().joined(separator: ", "))")
        }
        let command = try Self.text("command", in: object, longest: Self.longestCommand)
        switch (command, try Self.text("url", in: object, longest: WebURL.longest)) {
        case (let command?, nil): destination = .command(command)
        case (nil, let url?):
            do {
                destination = .url(try WebURL(url))
            } catch {
                throw WebFailure("url \(error)")
            }
        default: throw WebFailure("a hook needs either a command or a url")
        }
        types = try Self.list("types", in: object)
        devices = try Self.list("devices", in: object)
        geofences = try Self.list("geofences", in: object)
        if types.contains("position") {
            throw WebFailure("types: position is not stored; \"waymark watch --type position\" shows positions")
        }
        let secret = try Self.text("secret", in: object, longest: SecretFile.longest)
        switch (secret, try Self.text("secret-file", in: object, longest: Self.longestCommand)) {
        case (nil, nil): key = nil
        case (let secret?, nil): key = .text(secret)
        case (nil, let file?): key = .file(SecretFile(file))
        default: throw WebFailure("a hook has either a secret or a secret-file")
        }
        name = try Self.text("name", in: object, longest: Self.longestName) ?? Self.name(of: destination)
        do {
            _ = try filter
        } catch {
            throw WebFailure(error.message)
        }
    }

    /// The condition on events.
    var filter: EventFilter {
        get throws(Refusal) {
            func list(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
            return try EventFilter(["types": list(types), "devices": list(devices), "geofences": list(geofences)])
        }
    }

    /// The destination as people read it, without what may be secret.
    public var target: String {
        switch destination {
        case .command(let text): text.split(separator: " ").first.map(String.init) ?? text
        case .url(let url): url.description
        }
    }

    /// Returns the texts of the single hooks in a text that holds an object or an array of them.
    public static func texts(in text: String) -> [String] {
        guard case .array(let hooks)? = Self.value(text) else { return [text] }
        return hooks.map { String(decoding: JSONText($0).bytes, as: UTF8.self) }
    }

    /// Returns the text of a hook with its secret left out, for people to read.
    public static func shown(_ text: String) -> String {
        guard case .object(var object)? = Self.value(text) else { return text }
        if object["secret"] != nil { object["secret"] = "…" }
        return String(decoding: JSONText(.object(object)).bytes, as: UTF8.self)
    }

    private static func value(_ text: String) -> JSONValue? {
        let bytes = Array(text.utf8)
        return try? JSONValue(parsing: bytes.span)
    }

    /// Returns the name of a hook that has none: a digest, because a command may have secret words.
    private static func name(of destination: Destination) -> String {
        let text =
            switch destination {
            case .command(let text): text
            case .url(let url): url.description
            }
        return SHA256.hash(data: Array(text.utf8)).hexadecimal
    }

    private static func text(
        _ name: String, in object: JSONObject, longest: Int
    ) throws(WebFailure) -> String? {
        guard let value = object[name] else { return nil }
        guard case .string(let text) = value, (1...longest).contains(text.utf8.count) else {
            throw WebFailure("\(name) must be a text of 1 to \(longest) bytes")
        }
        return text
    }

    /// A list may also be one text.
    private static func list(_ name: String, in object: JSONObject) throws(WebFailure) -> [String] {
        switch object[name] {
        case nil: return []
        case .string(let text): return [text]
        case .array(let values):
            return try values.map { value throws(WebFailure) in
                guard case .string(let text) = value else { throw WebFailure("\(name) must be a list of texts") }
                return text
            }
        default: throw WebFailure("\(name) must be a list of texts")
        }
    }
}
