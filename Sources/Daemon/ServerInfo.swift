import EventStream
import RPC
import TextCoding

/// What a server says about itself.
enum ServerInfo {
    /// The method `server.info`.
    static func method(name: String, version: String, store: String? = nil) -> Method<Principal> {
        Method(
            "server.info", "Which program answers.",
            result: .object([
                .required("name", .string, "The program's name."),
                .required("version", .string, "The program's version."),
                .optional("store", .string, "The path of the store, where it has one."),
            ]), right: .read
        ) { _ in
            .object { json in
                json.member("name", name)
                json.member("version", version)
                json.member("store", store)
            }
        }
    }
}
