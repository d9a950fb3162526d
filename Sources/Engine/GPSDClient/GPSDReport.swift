public import Positioning

/// A report from gpsd.
///
/// A receiver is identified by its path, which is empty if gpsd gives none. Every report of a receiver, whatever its
/// case, shows that the receiver is not silent.
public enum GPSDReport: Hashable, Sendable {
    /// The banner, with gpsd's release and the version of its protocol.
    ///
    /// It is for the log only. The protocol numbers follow no rule (release 3.22 has 3.14, 3.27 has 0.16, 3.27.5 has
    /// 16.1), so nothing can be concluded from them.
    case version(release: String, major: Int, minor: Int)
    /// The paths of the receivers that gpsd lists, whether they work or not.
    case devices([String])
    /// A receiver was plugged in, or starts to work.
    case activated(device: String)
    /// A receiver was unplugged, or stops working.
    case deactivated(device: String)
    /// The fix of an epoch: the first report with its time that has a position.
    ///
    /// A later report with the same time is another fix only if its place or height differs. Some receivers measure
    /// twice within what they report as one time, and the gate rejects the second as late. Every report without a time
    /// is a separate fix.
    case fix(Fix, device: String)
    /// A receiver sends data, but has no fix.
    case alive(device: String)
    /// A report yields no fix although it claims to, or it cannot be read.
    ///
    /// The reason is one of these:
    /// - `duplicate`: it repeats the fix before, with the same time, place and height, or only adds values to it.
    /// - `garbled`: the line is not a complete JSON object of gpsd, or libgps cannot read it.
    /// - `mode`: gpsd has no such mode.
    /// - `no-position`: the latitude or longitude of the fix is missing or not a number.
    /// - `position`: the position is not on earth.
    /// - `too-long`: the line is longer than any of gpsd. It has no device.
    case skipped(reason: String, device: String)
    /// An error message from gpsd, about a request or a receiver.
    case complaint(String)
}

/// The reason why a report from gpsd is skipped; see ``GPSDReport/skipped(reason:device:)``.
enum SkipReason: String, Error {
    case duplicate, garbled, mode, position
    case noPosition = "no-position"
    case tooLong = "too-long"
}
