import Foundation

/// What the command line says of the configuration.
public struct DaemonFlags: Hashable, Sendable {
    /// The values of `--source`, each `NAME=URL`; where there are any, they replace the file's.
    public var sources: [String]
    /// The path of the store; relative to the working directory, or absolute.
    public var store: String?
    /// The path of the socket; relative to the working directory, or absolute.
    public var socket: String?
    /// Where the door for browsers listens.
    public var web: String?

    /// What the command line says.
    public init(sources: [String] = [], store: String? = nil, socket: String? = nil, web: String? = nil) {
        self.sources = sources
        self.store = store
        self.socket = socket
        self.web = web
    }
}

/// What a configuration depends on beside its file and its flags.
public struct ConfigurationSurroundings: Hashable, Sendable {
    /// The environment variables.
    public var environment: [String: String]
    /// What relative paths among the flags are relative to.
    public var workingDirectory: String
    /// Whether root runs the daemon.
    public var isRoot: Bool
    /// Whether the service manager has opened the socket already, so that its path is only told.
    public var isSocketGiven: Bool
    /// The file that is read where none is named; it may be missing.
    public var defaultFile: String

    /// The surroundings of this process.
    public static func current(isSocketGiven: Bool) -> ConfigurationSurroundings {
        ConfigurationSurroundings(
            environment: ProcessInfo.processInfo.environment,
            workingDirectory: FileManager.default.currentDirectoryPath, isRoot: geteuid() == 0,
            isSocketGiven: isSocketGiven)
    }

    /// Surroundings.
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
    /// Where the socket is while systemd runs the daemon for all users.
    static let systemSocket = "/run/waymark/waymark.sock"

    /// The same in the folders that the installed unit gives its service (systemd.exec(5)).
    public var ofService: ConfigurationSurroundings {
        var surroundings = self
        surroundings.environment["STATE_DIRECTORY"] = "/var/lib/waymark"
        surroundings.environment["RUNTIME_DIRECTORY"] = "/run/waymark"
        return surroundings
    }

    /// The store by default: in the unit's state directory (systemd.exec(5)), or the user's (XDG Base Directory
    /// Specification 0.8); nil where there is neither.
    var defaultStore: String? {
        if let folder = folder("STATE_DIRECTORY") { return "\(folder)/waymark.sqlite" }
        return (folder("XDG_STATE_HOME") ?? folder("HOME").map { "\($0)/.local/state" })
            .map { "\($0)/waymark/waymark.sqlite" }
    }

    /// The socket by default: in the unit's runtime directory, or the user's; nil where there is neither.
    var defaultSocket: String? {
        if let folder = folder("RUNTIME_DIRECTORY") ?? folder("XDG_RUNTIME_DIR") { return "\(folder)/waymark.sock" }
        return isRoot || isSocketGiven ? Self.systemSocket : nil
    }

    /// The path made absolute.
    func absolute(_ path: String) -> String {
        path.isEmpty || path.hasPrefix("/") ? path : "\(workingDirectory)/\(path)"
    }

    /// The folder that a variable names, the first where systemd names several; relative ones are none, as the XDG
    /// specification demands.
    private func folder(_ variable: String) -> String? {
        guard let value = environment[variable] else { return nil }
        let path = variable.hasSuffix("_DIRECTORY") ? value.prefix { $0 != ":" } : value[...]
        return path.hasPrefix("/") ? String(path) : nil
    }
}
