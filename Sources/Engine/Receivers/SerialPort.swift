import Glibc

/// A serial port to which a receiver sends, open for reading only.
///
/// This file contains the system calls for it. Each `unsafe` expression passes a Swift string or a local variable to a
/// call that reads or fills it before it returns, and keeps no pointer.
final class SerialPort: Sendable {
    /// The meaning of an error on an open port.
    static let unplugged = "unplugged"

    private let descriptor: Int32

    /// Opens a port with 8 data bits, no parity and one stop bit, for exclusive use.
    ///
    /// Nothing can be written to the port, so a receiver's settings never change. The bytes are not translated.
    ///
    /// - Throws: ``ReceiverError`` if the port is missing, in use, forbidden, or not a serial port.
    init(path: String, baud: Int) throws(ReceiverError) {
        // Without O_NONBLOCK the call would wait for a carrier. O_NOCTTY keeps the port from sending signals.
        descriptor = unsafe open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw ReceiverError(Self.reason(errno)) }
        // If this throws, deinit closes the descriptor, since all properties are set.
        try setUp(baud: baud)
    }

    private func setUp(baud: Int) throws(ReceiverError) {
        var settings = termios()
        guard unsafe tcgetattr(descriptor, &settings) == 0 else { throw ReceiverError(Self.reason(errno)) }
        unsafe cfmakeraw(&settings)
        // cfmakeraw sets 8 bits without parity. A cable with three wires has neither carrier nor handshake. A port that
        // hangs up when it is closed would restart receivers that watch DTR.
        settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
        settings.c_cflag &= ~(tcflag_t(CSTOPB) | tcflag_t(HUPCL) | tcflag_t(CRTSCTS))
        guard let speed = Self.speeds[baud], unsafe cfsetspeed(&settings, speed) == 0 else {
            throw ReceiverError("it cannot be set to \(baud) baud")
        }
        // TCSAFLUSH discards pending input, which is old and may have been sent at another rate.
        guard ioctl(descriptor, UInt(TIOCEXCL)) == 0, unsafe tcsetattr(descriptor, TCSAFLUSH, &settings) == 0 else {
            throw ReceiverError(Self.reason(errno))
        }
    }

    /// Returns a second descriptor of the port, which the caller owns.
    ///
    /// - Throws: ``ReceiverError`` if the process has no descriptors left.
    func duplicate() throws(ReceiverError) -> Int32 {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw ReceiverError(Self.reason(errno)) }
        return copy
    }

    deinit {
        guard descriptor >= 0 else { return }
        // A pseudo-terminal would otherwise stay exclusive.
        _ = ioctl(descriptor, UInt(TIOCNXCL))
        Glibc.close(descriptor)
    }

    private static let speeds: [Int: speed_t] = [
        4800: speed_t(B4800), 9600: speed_t(B9600), 19_200: speed_t(B19200), 38_400: speed_t(B38400),
        57_600: speed_t(B57600), 115_200: speed_t(B115200), 230_400: speed_t(B230400), 460_800: speed_t(B460800),
        921_600: speed_t(B921600),
    ]

    private static func reason(_ number: Int32) -> String {
        switch number {
        case ENOENT, ENOTDIR: return "there is no such device"
        case EACCES, EPERM: return "not permitted to read it; the user must be in the group of the device"
        case EBUSY: return "another program uses it"
        case ENOTTY, EISDIR, EINVAL: return "it is not a serial port"
        case EIO, ENXIO, ENODEV: return unplugged
        default:
            // strerror returns a valid string for every number, and it is copied at once.
            return unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
        }
    }
}
