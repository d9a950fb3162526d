import Glibc

/// Why the door cannot be opened; ``description`` says what to do.
public struct WebError: Error, Equatable, CustomStringConvertible {
    /// What is wrong, and what to do.
    public let description: String

    /// Something is wrong.
    init(_ description: String) { self.description = description }

    /// What the system says, by its number, of listening at an address.
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
            // strerror gives a valid string for every number; it is copied at once.
            let words = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
            description = "Nobody can listen at \(address): \(words)."
        }
    }
}
