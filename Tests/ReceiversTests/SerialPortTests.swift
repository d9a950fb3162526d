import Glibc
import TestSupport
import Testing

@testable import Receivers

@Suite struct SerialPortTests {
    @Test(arguments: ReceiverAddress.bauds)
    func thePortIsSetToTheBaudRateAndRawMode(baud: Int) throws {
        let terminal = PseudoTerminal()
        let port = try SerialPort(path: terminal.path, baud: baud)
        let settings = terminal.settings
        let speeds = [
            B4800, B9600, B19200, B38400, B57600, B115200, B230400, B460800, B921600,
        ].map { speed_t($0) }
        let index = try #require(ReceiverAddress.bauds.firstIndex(of: baud))
        #expect(unsafe withUnsafePointer(to: settings) { unsafe cfgetispeed($0) } == speeds[index])
        #expect(terminal.isRaw)
        #expect(settings.c_cflag & tcflag_t(CSIZE) == tcflag_t(CS8))
        #expect(settings.c_cflag & (tcflag_t(PARENB) | tcflag_t(CSTOPB) | tcflag_t(CRTSCTS)) == 0)
        #expect(!terminal.hasReceived)
        withExtendedLifetime(port) {}
    }

    @Test func aPortCanBeOpenedAgain() throws {
        let terminal = PseudoTerminal()
        for _ in 0..<3 { _ = try SerialPort(path: terminal.path, baud: 9600) }
        let port = try SerialPort(path: terminal.path, baud: 9600)
        let duplicate = try port.duplicate()
        #expect(duplicate >= 0)
        close(duplicate)
    }

    @Test func pathsThatAreNotSerialPortsAreRefused() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("file", "$GPRMC")
        func reason(_ path: String) -> String? {
            #expect(throws: ReceiverError.self) { try SerialPort(path: path, baud: 9600) }?.description
        }
        #expect(reason(folder.file("nothing")) == "there is no such device")
        #expect(reason(file) == "it is not a serial port")
        #expect(reason(folder.path) == "it is not a serial port")
        #expect(reason("\(file)/x") == "there is no such device")
    }
}
