/// The first version of a configuration file: a few settings, each with an explanation.
struct NewConfiguration {
    /// The way in which mail leaves.
    enum Mail: String, CaseIterable {
        /// Mail waits in the store.
        case waits
        /// Mail is appended to a file.
        case file
        /// A command sends mail through a server on this machine.
        case command
    }

    var receivers: [FoundReceivers.Receiver]
    /// `nil` if nothing is mailed.
    var mail: Mail?
    /// The path of the file for ``Mail/file``.
    var mailFile: String

    private static let mailHead =
        "# How mail with codes for signing up and in is sent. Without it, mail waits; \"waymark mail list\" shows it.\n"

    var text: String {
        let sources = receivers.map { "\"\($0.name)=\($0.url)\"" }.joined(separator: ", ")
        let mailLines =
            switch mail {
            case nil: ""
            case .waits: "\(Self.mailHead)#mail:\n#  command: msmtp --host=localhost -t\n\n"
            case .file: "\(Self.mailHead)mail:\n  file: \(mailFile)\n\n"
            case .command: "\(Self.mailHead)mail:\n  command: msmtp --host=localhost -t\n\n"
            }
        return """
            # Configuration of waymark daemon, made by "waymark init". waymark(1) describes every setting.

            # The receivers: a list of NAME=URL, where NAME is the device's name in every event.
            #   gpsd://HOST:PORT             a gpsd
            #   nmea:/dev/ttyACM0?baud=4800  a receiver on a serial port
            #   tcp://HOST:PORT, udp://ADDRESS:PORT   NMEA over the network
            #   drive.nmea?speed=60          a recording, in place of a receiver
            sources: [\(sources)]

            \(mailLines)# When events are emitted. Lengths are in metres, times in seconds.
            #tracking:
            #  dwell: 60
            #  stop-after: 180
            #  trip-end-after: 900
            #  approach: off

            """
    }
}
