import Callers
import RPC

/// The identity of a server.
enum ServerInfo {
    /// Returns the method `server.info`.
    static func method(
        name: String, version: String, store: String? = nil, configuration: String? = nil
    ) -> Method<Principal> {
        Method(
            "server.info",
            "Returns the name, the version and the files of the server. Through HTTP, only administrators see the files.",
            answers: AnswerShape<Bool>.object {
                Member("name", .text, "The program's name.") { _ in name }
                Member("version", .text, "The program's version.") { _ in version }
                Member.optional("store", .text, "The path of the store; absent if it has none.") { $0 ? store : nil }
                Member.optional(
                    "configuration", .text, "The path of the configuration file; absent if it was started without one."
                ) { $0 ? configuration : nil }
            }, right: .read
        ) { $0.caller.seesMachine }
    }
}
