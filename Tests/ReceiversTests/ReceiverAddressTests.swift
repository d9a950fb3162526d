import Testing

@testable import Receivers

@Suite struct ReceiverAddressTests {
    private static let understood: [(String, ReceiverAddress.Source, Double)] = [
        ("gpsd://localhost", .gpsd(host: "localhost", port: 2947, device: nil), 30),
        ("gpsd://localhost/", .gpsd(host: "localhost", port: 2947, device: nil), 30),
        ("GPSD://10.0.0.7:3000", .gpsd(host: "10.0.0.7", port: 3000, device: nil), 30),
        (
            "gpsd://localhost:2947/dev/ttyACM0?idle=5", .gpsd(host: "localhost", port: 2947, device: "/dev/ttyACM0"),
            5
        ),
        ("gpsd://[::1]/dev/gps0", .gpsd(host: "::1", port: 2947, device: "/dev/gps0"), 30),
        ("gpsd://[fe80::1%eth0]:1", .gpsd(host: "fe80::1%eth0", port: 1, device: nil), 30),
        ("nmea:/dev/ttyUSB0", .serial(path: "/dev/ttyUSB0", baud: 9600), 30),
        ("nmea:///dev/ttyUSB0?baud=4800", .serial(path: "/dev/ttyUSB0", baud: 4800), 30),
        ("nmea:/dev/serial/by-id/a:b?idle=2.5&baud=115200", .serial(path: "/dev/serial/by-id/a:b", baud: 115_200), 2.5),
        ("tcp://gps.lan:10110", .tcp(host: "gps.lan", port: 10_110), 30),
        ("tcp://[2001:db8::1]:65535/", .tcp(host: "2001:db8::1", port: 65_535), 30),
        ("udp://:10110", .udp(host: nil, port: 10_110), 30),
        ("udp://127.0.0.1:10110?idle=86400", .udp(host: "127.0.0.1", port: 10_110), 86_400),
        ("udp://[::]:1", .udp(host: "::", port: 1), 30),
        ("ride.gpx", .file(path: "ride.gpx", speed: 1), 30),
        ("/var/a b.nmea?speed=2.5", .file(path: "/var/a b.nmea", speed: 2.5), 30),
        ("file:/var/ride.nmea?speed=max", .file(path: "/var/ride.nmea", speed: nil), 30),
        ("file:///var/ride.nmea", .file(path: "/var/ride.nmea", speed: 1), 30),
        ("why?.gpx", .file(path: "why?.gpx", speed: 1), 30),
        ("12:30.nmea", .file(path: "12:30.nmea", speed: 1), 30), ("-", .file(path: "-", speed: 1), 30),
    ]

    @Test(arguments: understood)
    func urlsAreParsed(text: String, source: ReceiverAddress.Source, idle: Double) throws {
        let address = try ReceiverAddress(text)
        #expect(address.source == source)
        #expect(address.idle == .seconds(idle))
    }

    @Test(arguments: understood)
    func theDescriptionIsAURLOfTheSameAddress(text: String, _: ReceiverAddress.Source, _: Double) throws {
        let address = try ReceiverAddress(text)
        #expect(try ReceiverAddress(address.description) == address)
    }

    @Test(arguments: [
        ("gpsd://localhost", "gpsd://localhost:2947"), ("tcp://[::1]:5?idle=30", "tcp://[::1]:5"),
        ("nmea:/dev/a?idle=1.5", "nmea:/dev/a?baud=9600&idle=1.5"), ("udp://:7", "udp://:7"),
        ("a.gpx?speed=max", "file:a.gpx?speed=max"), ("a.gpx?speed=0.5", "file:a.gpx?speed=0.5"),
    ])
    func theDescriptionFillsInDefaults(text: String, description: String) throws {
        #expect(try ReceiverAddress(text).description == description)
    }

    @Test(arguments: [
        ("", "gpsd://HOST"), ("http://a:1", "“http” is unknown"), ("a\u{0}b", "control character"),
        ("gpsd:localhost", "two slashes"), ("gpsd://", "the host is missing"), ("gpsd://a:0", "ports are 1 to 65535"),
        ("gpsd://a:65536", "ports are 1 to 65535"), ("gpsd://a:", "ports are 1 to 65535"),
        ("gpsd://::1", "must be in brackets"), ("gpsd://[::1", "must be in brackets"),
        ("gpsd://[a]", "not an IPv6 address"),
        ("gpsd://me@a:1", "not a host name"), ("gpsd://a?baud=9600", "“baud” is not allowed here"),
        ("tcp://a", "tcp://HOST:PORT"), ("tcp://:5", "tcp://HOST:PORT"), ("tcp://a:5/x", "tcp://HOST:PORT"),
        ("udp://127.0.0.1", "the port is needed"), ("nmea:ttyUSB0", "full path"), ("nmea://host/dev", "full path"),
        ("nmea:/", "full path"), ("nmea:/dev/a?baud=9601", "4800, 9600"), ("nmea:/dev/a?baud=fast", "4800, 9600"),
        ("nmea:/dev/a?speed=2", "“speed” is not allowed here"), ("tcp://a:1?idle=0", "from 1 to 86400"),
        ("tcp://a:1?idle=nan", "from 1 to 86400"), ("tcp://a:1?idle=1&idle=2", "“idle” is given twice"),
        ("tcp://a:1?", "NAME=VALUE"), ("tcp://a:1?idle", "NAME=VALUE"), ("tcp://a:1?idle=", "NAME=VALUE"),
        ("a.gpx?speed=0", "from 0.001 to 10000"), ("a.gpx?speed=-1", "from 0.001"),
        ("a.gpx?idle=5", "“idle” is not allowed here"),
        ("file:", "the path is missing"), ("file://host/a", "the path is missing"), ("?speed=1", "the path is missing"),
    ])
    func anInvalidURLIsRefusedWithWhatIsAllowed(text: String, complaint: String) {
        let error = #expect(throws: ReceiverAddressError.self) { try ReceiverAddress(text) }
        #expect(error?.description.contains(complaint) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [
        ("gpsd://localhost", true), ("gpsd://[::1]", true), ("tcp://127.0.0.1:1", true), ("tcp://10.0.0.1:1", false),
        ("gpsd://boat.lan", false), ("nmea:/dev/a", true), ("udp://:1", true),
    ])
    func localAddressesAreRecognised(text: String, isLocal: Bool) throws {
        #expect(try ReceiverAddress(text).isLocal == isLocal)
    }
}
