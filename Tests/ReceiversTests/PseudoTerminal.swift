import Glibc
import TestSupport

/// A pseudo-terminal: one end stands for a receiver, and the other is a serial port.
///
/// Each `unsafe` expression passes a local variable to a call that reads or fills it before it returns.
final class PseudoTerminal: Sendable {
    /// The path of the serial port.
    let path: String
    private let descriptor: Int32

    // Requests of ioctl_tty(2) to unlock the other end and to return its number. They are macros that Swift does not
    // import.
    private static let unlock: UInt = 0x4004_5431
    private static let tellNumber: UInt = 0x8004_5430

    init() {
        descriptor = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var no: Int32 = 0
        var number: Int32 = 0
        let isUnlocked = unsafe ioctl(descriptor, Self.unlock, &no) == 0
        let hasNumber = unsafe ioctl(descriptor, Self.tellNumber, &number) == 0
        precondition(isUnlocked && hasNumber, "the system gives no pseudo-terminal")
        path = "/dev/pts/\(number)"
    }

    /// Sends a text from the receiver; it must fit into the terminal's 4,096 bytes.
    func send(_ text: String) {
        let bytes = Array(text.utf8)
        let sent = unsafe write(descriptor, bytes, bytes.count)
        precondition(sent == bytes.count, "the pseudo-terminal takes nothing")
    }

    /// The settings of the other end.
    var settings: termios {
        var settings = termios()
        _ = unsafe tcgetattr(descriptor, &settings)
        return settings
    }

    /// Whether the other end was opened and set to raw mode.
    var isRaw: Bool { settings.c_lflag & tcflag_t(ICANON | ECHO) == 0 }

    /// Whether the port has sent the receiver anything.
    var hasReceived: Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&request, 1, 0) > 0 && request.revents & Int16(POLLIN) != 0
    }

    deinit { close(descriptor) }
}
