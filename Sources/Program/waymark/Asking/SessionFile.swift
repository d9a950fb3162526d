import Foundation
import RPC

/// The file with the sessions of the command line: the token for each daemon or store.
///
/// Only its owner may read it.
enum SessionFile {
    /// `$WAYMARK_SESSION`, else `waymark/sessions.json` in `$XDG_STATE_HOME` or `~/.local/state`.
    private static var url: URL {
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["WAYMARK_SESSION"], !path.isEmpty { return URL(fileURLWithPath: path) }
        let state =
            environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
            ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".local/state")
        return state.appending(path: "waymark/sessions.json")
    }

    /// Returns the session token for a daemon or store; `nil` if nobody is signed in there.
    static func token(at place: String) -> String? { read()[place] }

    /// Stores the token or the ticket that an answer contains, and deletes the token when its session ends.
    static func note(_ answer: JSONValue, _ change: Conversation.SessionChange?, at place: String) throws {
        switch change {
        case .ends: try write(nil, at: place)
        case .begins:
            guard let token = answer.text("token") else { return }
            try write(token, at: place)
            try write(nil, at: ticketPlace(place))
        case .waits:
            if let ticket = answer.text("ticket") { try write(ticket, at: ticketPlace(place)) }
        case nil: break
        }
    }

    /// Returns an answer without the secrets that the file keeps, since nobody needs to see them.
    static func withoutSecrets(_ answer: JSONValue, _ change: Conversation.SessionChange?) -> JSONValue {
        guard change != nil, case .object(var members) = answer else { return answer }
        for name in ["token", "ticket"] { members[name] = nil }
        return .object(members)
    }

    /// Returns the ticket of an account whose email address is not yet proven; `nil` if there is none.
    static func ticket(at place: String) -> String? { read()[ticketPlace(place)] }

    /// Returns the key of a ticket.
    ///
    /// No place begins with a word and a blank, so no session has this key.
    private static func ticketPlace(_ place: String) -> String { "ticket \(place)" }

    /// Deletes the token for a place.
    static func forget(_ place: String) { try? write(nil, at: place) }

    private static func read() -> [String: String] {
        guard let data = try? Data(contentsOf: url) else { return [:] }
        return (try? JSONDecoder().decode([String: String].self, from: data)) ?? [:]
    }

    private static func write(_ token: String?, at place: String) throws {
        var tokens = read()
        guard tokens[place] != token else { return }
        tokens[place] = token
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            // The file is created with its final permissions and written in place, so others can never read it.
            if !FileManager.default.fileExists(atPath: url.path) {
                _ = FileManager.default.createFile(
                    atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
            }
            try encoder.encode(tokens).write(to: url)
        } catch {
            throw Failure(path: url.path)
        }
    }

    /// The error that a session cannot be stored.
    struct Failure: Error, CustomStringConvertible {
        let path: String
        var description: String {
            "The session cannot be saved in \(path). Name another file in WAYMARK_SESSION, or check the folder."
        }
    }
}
