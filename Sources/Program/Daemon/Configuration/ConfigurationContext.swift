import Foundation

/// The configuration on the command line.
public struct DaemonFlags: Hashable, Sendable {
    /// The values of `--source`, each `NAME=URL`; if there are any, they replace those of the file.
    public var sources: [String]
    /// The path of the store, absolute or relative to the working directory.
    public var store: String?
    /// The path of the socket, absolute or relative to the working directory.
    public var socket: String?
    /// The address on which the web server listens.
    public var web: String?

    /// Creates flags; those that are omitted are not set.
    public init(sources: [String] = [], store: String? = nil, socket: String? = nil, web: String? = nil) {
        self.sources = sources
        self.store = store
        self.socket = socket
        self.web = web
    }
}

/// The inputs of a configuration besides its file and its flags.
public struct ConfigurationContext: Hashable, Sendable {
    /// The environment variables.
    public var environment: [String: String]
    /// The folder that relative paths in flags refer to.
    public var workingDirectory: String
    /// Whether root runs the daemon.
    public var isRoot: Bool
    /// Whether the service manager has opened the socket, so that its path is used in messages only.
    public var isSocketGiven: Bool
    /// The file to read if none is named; it may be missing.
    public var defaultFile: String

    /// Returns the context of this process.
    public static func current(isSocketGiven: Bool) -> ConfigurationContext {
        ConfigurationContext(
            environment: ProcessInfo.processInfo.environment,
            workingDirectory: FileManager.default.currentDirectoryPath, isRoot: geteuid() == 0,
            isSocketGiven: isSocketGiven)
    }

    /// Creates a context from its parts.
    public init(
        environment: [String: String], workingDirectory: String, isRoot: Bool, isSocketGiven: Bool = false,
        defaultFile: String = Self.systemFile
    ) {
        self.environment = environment
        self.workingDirectory = workingDirectory
        self.isRoot = isRoot
        self.isSocketGiven = isSocketGiven
        self.defaultFile = defaultFile
    }

    /// The file that Debian's package installs.
    public static let systemFile = "/etc/waymark/waymark.yaml"
    /// The path of the socket when systemd runs the daemon for all users.
    static let systemSocket = "/run/waymark/waymark.sock"

    /// The same context with the folders that the installed unit sets for its service (systemd.exec(5)).
    public var ofService: ConfigurationContext {
        var context = self
        context.environment["STATE_DIRECTORY"] = "/var/lib/waymark"
        context.environment["RUNTIME_DIRECTORY"] = "/run/waymark"
        return context
    }

    /// The default store; `nil` if there is no folder for it.
    ///
    /// It is in the unit's state directory (systemd.exec(5)), or in the user's (XDG Base Directory Specification 0.8).
    var defaultStore: String? {
        if let folder = folder("STATE_DIRECTORY") { return "\(folder)/waymark.sqlite" }
        return (folder("XDG_STATE_HOME") ?? folder("HOME").map { "\($0)/.local/state" })
            .map { "\($0)/waymark/waymark.sqlite" }
    }

    /// The default socket, in the unit's or the user's runtime directory; `nil` if there is neither.
    ///
    /// For root, and for a socket that the service manager has opened, it then is the system's.
    var defaultSocket: String? {
        if let folder = folder("RUNTIME_DIRECTORY") ?? folder("XDG_RUNTIME_DIR") { return "\(folder)/waymark.sock" }
        return isRoot || isSocketGiven ? Self.systemSocket : nil
    }

    /// Returns an absolute path; an empty one stays empty.
    func absolute(_ path: String) -> String {
        path.isEmpty || path.hasPrefix("/") ? path : "\(workingDirectory)/\(path)"
    }

    /// Returns the folder that a variable names; the first if systemd names several.
    ///
    /// A relative path is ignored, as the XDG specification demands.
    private func folder(_ variable: String) -> String? {
        guard let value = environment[variable] else { return nil }
        let path = variable.hasSuffix("_DIRECTORY") ? value.prefix { $0 != ":" } : value[...]
        return path.hasPrefix("/") ? String(path) : nil
    }
}
