public import Geodesy
import Time
public import Tracking

extension EventRecord {
    /// Creates the record of a stored event, or of a transient one without a number, with the time 0.
    public init(
        seq: Int64?, type: String, device: String? = nil, subject: String? = nil, recipient: String? = nil,
        place: Coordinate? = nil, line: [UInt8]
    ) {
        self.init(
            seq: seq, time: Timestamp(milliseconds: 0), type: type, device: device, subject: subject,
            recipient: recipient, place: place, line: line)
    }
}
