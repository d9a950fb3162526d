public import RPC
import TextCoding

/// What a server says about itself.
public enum ServerInfo {
    /// The method `server.info`.
    public static func method(name: String, version: String) -> Method<Connection> {
        Method(
            "server.info", "Which program answers.",
            result: .object([
                .required("name", .string, "The program's name."),
                .required("version", .string, "The program's version."),
            ]), right: .read
        ) { _ in
            .object { json in
                json.member("name", name)
                json.member("version", version)
            }
        }
    }
}
