import Glibc
import TestSupport

/// A pseudo-terminal whose one end stands for a receiver, and whose other is a serial port to whoever opens it.
///
/// Each `unsafe` expression hands a local variable to a call that reads or fills it before it returns.
final class PseudoTerminal: Sendable {
    /// The path of the serial port.
    let path: String
    private let descriptor: Int32

    // The requests of ioctl_tty(2) to unlock the other end and to tell its number, macros that Swift does not see.
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

    /// The receiver sends a text, which fits into the terminal's 4,096 bytes.
    func send(_ text: String) {
        let bytes = Array(text.utf8)
        let sent = unsafe write(descriptor, bytes, bytes.count)
        precondition(sent == bytes.count, "the pseudo-terminal takes nothing")
    }

    /// What the other end has set.
    var settings: termios {
        var settings = termios()
        _ = unsafe tcgetattr(descriptor, &settings)
        return settings
    }

    /// Whether the other end was opened and set to take bytes as they are.
    var isRaw: Bool { settings.c_lflag & tcflag_t(ICANON | ECHO) == 0 }

    /// Whether anything was written to the receiver.
    var hasReceived: Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&request, 1, 0) > 0 && request.revents & Int16(POLLIN) != 0
    }

    deinit { close(descriptor) }
}
