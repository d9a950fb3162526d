public import RPC

/// The address at which phones reach the daemon, as a person gives it.
package enum ServerAddress {
    /// The longest address, in bytes: with a longer one, a link to it may not fit a QR code.
    package static let longest = 150

    /// Refuses a text that is no address of a server, naming the parameter `server`.
    package static func check(_ server: String) throws(Refusal) {
        let rest = ["https://", "http://"].compactMap { scheme in
            server.hasPrefix(scheme) ? server.utf8.dropFirst(scheme.utf8.count) : nil
        }.first
        guard let rest, !rest.isEmpty, server.utf8.count <= longest,
            rest.allSatisfy({ (0x21...0x7E).contains($0) && !"?#\"<>\\".utf8.contains($0) })
        else {
            throw Refusal.invalid(
                "server",
                "must be an address such as https://van.example, without spaces, ? and #, of at most \(longest) bytes")
        }
    }
}

extension QRCode: Answerable {
    /// The drawing of the code, as an answer has it.
    public static let shape = AnswerShape<QRCode>.object {
        Member("size", .integer, "The side of the drawing, with its light border, in modules.") { $0.svgSize }
        Member("path", .text, "The dark modules, as the data of an SVG path in units of a module.") { $0.svgPath }
    }
}
