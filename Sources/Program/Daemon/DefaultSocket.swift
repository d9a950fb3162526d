import Foundation

/// The search for the daemon's socket.
public enum DefaultSocket {
    /// Returns the socket that `WAYMARK_SOCKET` names, else the system's if it exists, else the user's.
    ///
    /// The socket may not exist; error messages then name this path. If there is no folder for the user's, the result
    /// is the system's.
    public static func path(environment: [String: String]) -> String {
        path(environment: environment) { FileManager.default.fileExists(atPath: $0) }
    }

    static func path(environment: [String: String], isThere: (String) -> Bool) -> String {
        if let named = environment[ConfigurationKey.socket.environmentVariable], !named.isEmpty { return named }
        let system = ConfigurationContext.systemSocket
        guard !isThere(system) else { return system }
        // The daemon's own default. Root's is the system's socket if there is no runtime directory.
        let context = ConfigurationContext(environment: environment, workingDirectory: "/", isRoot: true)
        return context.defaultSocket ?? system
    }
}
