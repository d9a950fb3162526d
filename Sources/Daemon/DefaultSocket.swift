import Foundation

/// Where a daemon's socket is looked for.
public enum DefaultSocket {
    /// The socket that `WAYMARK_SOCKET` names, else the system's where there is one, else the user's.
    ///
    /// It need not be there: it is where one is missed. Where there is no place of the user's, it is the system's.
    public static func path(environment: [String: String]) -> String {
        path(environment: environment) { FileManager.default.fileExists(atPath: $0) }
    }

    static func path(environment: [String: String], isThere: (String) -> Bool) -> String {
        if let named = environment[ConfigurationKey.socket.environmentVariable], !named.isEmpty { return named }
        let system = ConfigurationSurroundings.systemSocket
        guard !isThere(system) else { return system }
        // The daemon's own choice, that of root where there is no other.
        let surroundings = ConfigurationSurroundings(environment: environment, workingDirectory: "/", isRoot: true)
        return surroundings.defaultSocket ?? system
    }
}
