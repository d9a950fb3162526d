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
            description = "Another program listens at \(address). Stop it, or choose another port with web.listen."
        case EADDRNOTAVAIL:
            description =
                "This machine has no address \(address.hostText) to listen at. Name one of its own as web.listen."
        case EACCES:
            description =
                "Only root may listen at port \(address.port). Choose one from 1024 on, and have a server in front of it."
        default:
            // strerror returns a valid string for every number; it is copied at once.
            let words = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
            description = "Nobody can listen at \(address): \(words)."
        }
    }
}
