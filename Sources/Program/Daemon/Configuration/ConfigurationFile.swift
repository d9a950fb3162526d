import Positioning
import RPC
import Receivers
import Yams

/// The configuration file: YAML 1.1, a mapping of keys and of groups of keys.
///
/// It is parsed here, because only the nodes know their lines and the keys that exist. The values then become a layer
/// of the configuration library like the others. Every scalar is taken as the text that is written in the file: `on` is
/// not a Boolean, `1:30` is not ninety, and a message can repeat what was written. So the parser needs no rules of types,
/// which are regular expressions that would stay in memory.
struct ConfigurationFile {
    /// The largest file that is read, in bytes: a thousand times what all keys need.
    static let greatestSize = 1 << 20

    private let path: String
    private let checkURL: (String) throws -> Void
    private var layer: ConfigurationLayer

    /// Returns the values and problems of a file.
    static func layer(path: String, checkingURL: @escaping (String) throws -> Void) -> ConfigurationLayer {
        layer(path: path, text: try text(of: path), checkingURL: checkingURL)
    }

    /// Returns the values and problems of a text, as if it were the file at that path.
    static func layer(
        path: String, text: @autoclosure () throws -> String, checkingURL: @escaping (String) throws -> Void
    ) -> ConfigurationLayer {
        var file = ConfigurationFile(
            path: path, checkURL: checkingURL, layer: ConfigurationLayer(name: "file"))
        file.read(text)
        return file.layer
    }

    private mutating func read(_ text: () throws -> String) {
        do {
            let text = try text()
            let unfit = Self.unfitLines(of: text)
            for (line, reason) in unfit { note(line, nil, reason) }
            guard unfit.isEmpty, let root = try Parser(yaml: text, resolver: .basic).singleRoot(),
                !Self.isNothing(root)
            else { return }
            guard let mapping = root.mapping else {
                return note(root.mark?.line, nil, "the file is not a mapping; write \"KEY: VALUE\" lines")
            }
            read(mapping, group: nil)
        } catch let error as RecordingError {
            note(nil, nil, "\(error)")
        } catch let error as YamlError {
            let (line, reason) = Self.explain(error)
            note(line, nil, reason)
        } catch {
            note(nil, nil, "\(error)")
        }
    }

    private mutating func read(_ mapping: Node.Mapping, group: String?) {
        for (name, value) in mapping {
            let line = name.mark?.line
            guard let word = name.scalar?.string else {
                note(line, group, "a key must be a word")
                continue
            }
            let path = group.map { "\($0).\(word)" } ?? word
            if let key = ConfigurationKey(rawValue: path), key.group == group {
                set(key, to: value, line: line)
            } else if group == nil, ConfigurationKey.groups.contains(word) {
                if let members = value.mapping {
                    read(members, group: word)
                } else if !Self.isNothing(value) {
                    note(line, word, "this is a group; write its keys below it: \(Self.members(of: word))")
                }
            } else {
                let place = group.map { " of \($0)" } ?? ""
                let keys = "the keys\(place) are \(Self.members(of: group))"
                note(line, ConfigurationLayer.quoted(path), "there is no such key; \(keys)")
            }
        }
    }

    private mutating func set(_ key: ConfigurationKey, to node: Node, line: Int?) {
        let origin = origin(line)
        if Self.isNothing(node) {
            guard [.sources, .eventHooks].contains(key) else {
                return layer.note(origin, key, "the value is missing; it must be \(key.form.allowed)")
            }
            return layer.set(key, to: .list([], origin: origin), checkingURL: checkURL)
        }
        switch node {
        case .scalar(let scalar):
            let piece = ConfigurationLayer.Piece(text: scalar.string, origin: origin)
            layer.set(key, to: .text(piece), checkingURL: checkURL)
        case .sequence(let sequence):
            var pieces: [ConfigurationLayer.Piece] = []
            for element in sequence {
                let place = self.origin(element.mark?.line)
                if let text = text(of: element, for: key) {
                    pieces.append(ConfigurationLayer.Piece(text: text, origin: place))
                } else {
                    layer.note(place, key, "an element must be plain text: \(key.form.allowed)")
                }
            }
            layer.set(key, to: .list(pieces, origin: origin), checkingURL: checkURL)
        case .mapping where key == .eventHooks:
            let pieces = text(of: node, for: key).map { [ConfigurationLayer.Piece(text: $0, origin: origin)] } ?? []
            layer.set(key, to: .list(pieces, origin: origin), checkingURL: checkURL)
        case .mapping, .alias:
            layer.note(origin, key, "this key is not a group; its value must be \(key.form.allowed)")
        }
    }

    /// Returns the text of an element of a list; that of a hook, which is a group of keys, is a JSON object.
    ///
    /// It is `nil` if a list must not have such an element.
    private func text(of element: Node, for key: ConfigurationKey) -> String? {
        guard key == .eventHooks, let members = element.mapping else { return element.scalar?.string }
        var object = JSONObject()
        for (name, value) in members {
            guard let name = name.scalar?.string else { return nil }
            switch value {
            case .scalar(let scalar): object[name] = .string(scalar.string)
            case .sequence(let list):
                object[name] = .array(
                    list.map { element in element.scalar.map { JSONValue.string($0.string) } ?? .null })
            case .mapping, .alias: object[name] = .null
            }
        }
        return String(decoding: JSONText(.object(object)).bytes, as: UTF8.self)
    }

    private mutating func note(_ line: Int?, _ key: String?, _ reason: String) {
        layer.note(ConfigurationError.Problem(origin: origin(line), key: key, reason: reason))
    }

    private func origin(_ line: Int?) -> String { line.map { "\(path):\($0)" } ?? path }

    /// Whether a value was omitted.
    private static func isNothing(_ node: Node) -> Bool {
        guard let scalar = node.scalar, scalar.style == .plain || scalar.style == .any else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    /// Returns the names in a group, or at the top level, in the order of the table.
    private static func members(of group: String?) -> String {
        var names: [String] = []
        for key in ConfigurationKey.allCases {
            let name =
                if key.group == group { key.rawValue.split(separator: ".").last.map(String.init) } else { key.group }
            if let name, group == nil || key.group == group, !names.contains(name) { names.append(name) }
        }
        return names.joined(separator: ", ")
    }
}
