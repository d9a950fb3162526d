import EventStream
import RPC

/// The identity of a server.
enum ServerInfo {
    /// Returns the method `server.info`.
    static func method(
        name: String, version: String, store: String? = nil, configuration: String? = nil
    ) -> Method<Principal> {
        Method(
            "server.info", "Which program answers.",
            answers: .object {
                Member("name", .text, "The program's name.") { _ in name }
                Member("version", .text, "The program's version.") { _ in version }
                Member.optional("store", .text, "The path of the store, where it has one.") { _ in store }
                Member.optional("configuration", .text, "The configuration file, where it was started with one.") { _ in
                    configuration
                }
            }, right: .read
        ) { _ in true }
    }
}
