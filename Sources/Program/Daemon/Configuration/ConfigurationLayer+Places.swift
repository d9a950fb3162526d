#if Companion
import EventHooks
#endif

extension ConfigurationLayer {
    /// The origin of a value that nobody has set.
    static let byDefault = "default"

    /// Returns the default values.
    ///
    /// A missing place for the store or the socket is a problem only if no other layer names it.
    static func defaults(
        _ context: ConfigurationContext, given: [ConfigurationLayer]
    ) -> ConfigurationLayer {
        let origin = byDefault
        var layer = ConfigurationLayer(name: origin)
        func piece(_ text: String) -> Value { .text(Piece(text: text, origin: origin)) }
        for key in ConfigurationKey.allCases {
            switch key {
            case .sources, .eventHooks: layer.set(key, .list([], origin: origin))
            case .store, .socket:
                let path = key == .store ? context.defaultStore : context.defaultSocket
                if let path { layer.set(key, piece(path)) }
                guard !given.contains(where: { $0.values[key] != nil }) else { continue }
                let folder = key == .store ? "HOME" : "XDG_RUNTIME_DIR"
                let name = key.rawValue
                let remedy = "set \(name) in the file, \(key.environmentVariable), --\(name) or \(folder)"
                if let path, !key.form.accepts(path) {
                    layer.note(origin, key, "\(quoted(path)) is not \(key.form.allowed); \(remedy)")
                } else if path == nil {
                    layer.note(origin, key, "there is no default path for it; \(remedy)")
                }
            default: if let text = key.defaultText { layer.set(key, piece(text)) }
            }
        }
        return layer
    }

    /// Returns the values of the environment variables; an unknown `WAYMARK_` variable is refused as a typing error.
    static func environment(
        _ context: ConfigurationContext, checkingURL: (String) throws -> Void
    ) -> ConfigurationLayer {
        var layer = ConfigurationLayer(name: "environment")
        let prefix = ConfigurationKey.environmentPrefix
        for (name, text) in context.environment.sorted(by: { $0.key < $1.key })
        where name.hasPrefix(prefix) && !ConfigurationKey.variablesOfCommands.contains(name) {
            let origin = "environment variable \(name)"
            guard let key = ConfigurationKey.allCases.first(where: { $0.environmentVariable == name }) else {
                let names = ConfigurationKey.allCases.map(\.environmentVariable).joined(separator: ", ")
                layer.note(
                    ConfigurationError.Problem(
                        origin: origin, reason: "there is no such variable; the variables are \(names)"))
                continue
            }
            #if Companion
            if case .hooks = key.form {
                let pieces = EventHookSettings.texts(in: text).map { Piece(text: $0, origin: origin) }
                layer.set(key, to: .list(pieces, origin: origin), checkingURL: checkingURL)
                continue
            }
            #endif
            if case .sources = key.form {
                let elements = text.split { $0 == "," || $0.isWhitespace }
                let pieces = elements.map { Piece(text: String($0), origin: origin) }
                layer.set(key, to: .list(pieces, origin: origin), checkingURL: checkingURL)
            } else {
                layer.set(key, to: .text(Piece(text: text, origin: origin)), checkingURL: checkingURL)
            }
        }
        return layer
    }

    /// Returns the values of the command line.
    static func flags(
        _ flags: DaemonFlags, _ context: ConfigurationContext, checkingURL: (String) throws -> Void
    ) -> ConfigurationLayer {
        var layer = ConfigurationLayer(name: "flags")
        for (key, path) in [(ConfigurationKey.store, flags.store), (.socket, flags.socket)] {
            guard let path else { continue }
            let piece = Piece(text: context.absolute(path), origin: "--\(key.rawValue)")
            layer.set(key, to: .text(piece), checkingURL: checkingURL)
        }
        if let address = flags.web {
            layer.set(.webListen, to: .text(Piece(text: address, origin: "--web")), checkingURL: checkingURL)
        }
        if !flags.sources.isEmpty {
            let pieces = flags.sources.map { Piece(text: $0, origin: "--source") }
            layer.set(.sources, to: .list(pieces, origin: "--source"), checkingURL: checkingURL)
        }
        return layer
    }
}
