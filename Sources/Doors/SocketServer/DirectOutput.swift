import Glibc
import NIOCore

/// The socket of a connection, for lines that are sent without the channel's pipeline.
///
/// NIO takes a quarter of the time of a line that a thousand subscribers receive. A line is given to the system
/// directly if nothing that was written before it waits in the channel. Otherwise, or if the system does not take all
/// of it, the channel sends the rest, waits until the client reads, and finds out that a connection is broken.
///
/// All functions must be called on the channel's event loop.
struct DirectOutput {
    private let channel: any Channel
    /// The descriptor of the socket, which only the channel closes; `nil` if the channel has none.
    private let descriptor: CInt?

    init(_ channel: any Channel) {
        self.channel = channel
        let socket = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
            $0
        }
        descriptor = socket.flatMap(\.self)
    }

    /// Sends a line after all that was written before.
    ///
    /// - Returns: Whether the system has taken all of it. If not, the next line must wait until the channel has sent
    ///   the rest: with a single byte left, the channel still counts as writable.
    func send(_ line: ByteBuffer) -> Bool {
        var rest = line
        // The channel is writable only if nothing waits in it (see ``unsent``), and active only while its socket is
        // open, which it closes on this event loop.
        if let descriptor, channel.isActive, channel.isWritable {
            // The bytes are those of `line`, which outlives the call.
            let count = unsafe line.withUnsafeReadableBytes { bytes in
                unsafe Glibc.send(
                    descriptor, bytes.baseAddress, bytes.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
            }
            if count == line.readableBytes { return true }
            rest.moveReaderIndex(forwardBy: max(0, count))
        }
        channel.writeAndFlush(rest, promise: nil)
        return false
    }

    /// The water marks of the channel, by which it is writable only if nothing waits in it.
    static let unsent = ChannelOptions.Types.WriteBufferWaterMark(low: 1, high: 1)
}
