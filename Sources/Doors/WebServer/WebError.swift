import Glibc

/// The reason why the server cannot be opened.
public struct WebError: Error, Equatable, CustomStringConvertible {
    /// The problem, and what to do about it.
    public let description: String

    init(_ description: String) { self.description = description }

    /// Translates the system's error number for listening at an address.
    init(number: Int32, at address: WebAddress) {
        switch number {
        case EADDRINUSE:
            description = "Another program listens on \(address). Stop it, or choose another port with web.listen."
        case EADDRNOTAVAIL:
            description =
                "This machine does not have the address \(address.hostText). Set web.listen to one of its own addresses."
        case EACCES:
            description =
                "Only root may listen on port \(address.port). Choose port 1024 or higher, with a proxy server in front of it."
        default:
            // strerror returns a valid string for every number; it is copied at once.
            let words = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
            description = "The web server cannot listen on \(address): \(words)."
        }
    }
}
