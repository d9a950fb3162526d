import NIOCore

extension WebServer {
    /// The limits of a server.
    public struct Limits: Sendable {
        /// The most connections at once: a bus full of phones, with six for each browser.
        public var connections = 1_024
        /// The most connections of strangers from one other machine.
        var connectionsOfAddress = 64
        /// The most connections of strangers from one network of IPv6, which may be a bus full of phones.
        var connectionsOfNetwork = 256
        /// The most connections with the sessions of one person, on all their machines.
        var connectionsOfPerson = 64
        /// The number of connections that a stranger may have when places are short: a browser opens six.
        var fairShare = 8
        /// The most connections that may be ending while others have taken their places.
        var ending = 64
        /// The most connections of strangers from one network that may be ending while it connects again.
        var endingOfNetwork = 8
        /// How often a network of strangers may make room for new connections itself, after it has not for as many
        /// seconds: twice what a browser opens.
        var turns = 12
        /// The most bytes of headers in a request; browsers send one or two thousand.
        var headerBytes = 16 << 10
        /// The most header fields in a request.
        var headerFields = 100
        /// The most bytes of a call, as for a line on the socket: the interface documents 1 MiB.
        var callBytes = 1 << 20
        /// The longest time without a request, or for sending its headers; browsers keep connections open for minutes.
        var idle = Duration.seconds(60)
        /// The longest time for the body of a call: a megabyte on a poor mobile network.
        var bodyTime = Duration.seconds(60)
        /// The longest time for an upload: the largest photo on a poor mobile network.
        var uploadTime = Duration.seconds(900)
        /// The longest time for a call or a batch of calls.
        var callTime = Duration.seconds(60)
        /// The longest time for a client to read an answer that is not a stream.
        var answerTime = Duration.seconds(600)
        /// The most bytes of an unwanted body to discard, so that the sender is not cut off before it reads the answer.
        var lingeringBytes = 1 << 20
        /// The longest time to discard an unwanted body.
        var lingering = Duration.seconds(2)
        /// Returns the address at the other end of a connection; tests return another one.
        var addressOfPeer: @Sendable (any Channel) -> IPAddress? = { IPAddress($0) }
        /// The longest time to finish requests when the server closes.
        public var shutdownGrace = Duration.seconds(2)

        /// Creates the default limits.
        public init() {}
    }
}
