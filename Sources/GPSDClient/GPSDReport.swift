public import Positioning

/// What a gpsd says.
///
/// A receiver is known by its path; it is empty where gpsd names none. Every report of a receiver, whichever case, shows
/// that it is not silent.
public enum GPSDReport: Hashable, Sendable {
    /// The banner: gpsd's release and the version of its protocol.
    ///
    /// It is for the log. Releases number their protocols by no rule (3.22 says 3.14, 3.27 says 0.16, 3.27.5 says 16.1),
    /// so that nothing can be concluded from them.
    case version(release: String, major: Int, minor: Int)
    /// The paths of the receivers that gpsd lists, working or not.
    case devices([String])
    /// A receiver was plugged in, or begins to work.
    case activated(device: String)
    /// A receiver was unplugged, or stops to work.
    case deactivated(device: String)
    /// An epoch's fix: the first report of its time that has a position.
    ///
    /// A later one of that time is another fix only where it gives another place or height: some receivers measure twice
    /// within what they call one time, and the gate takes the second for late. Every report without a time is a fix of
    /// its own.
    case fix(Fix, device: String)
    /// A receiver says something, and has no fix.
    case alive(device: String)
    /// A report makes no fix, though it said so, or cannot be read; one of the reasons below.
    ///
    /// - `duplicate`: the fix before once more: the same time, place and height, or only more of its values.
    /// - `garbled`: a line that is no whole JSON object of gpsd's, or that libgps cannot read.
    /// - `mode`: a mode that gpsd does not have.
    /// - `no-position`: a fix of which latitude or longitude is missing or not a number.
    /// - `position`: a fix that lies nowhere on earth.
    /// - `too-long`: a line longer than any of gpsd's. It has no device.
    case skipped(reason: String, device: String)
    /// gpsd complains, about a request or about a receiver.
    case complaint(String)
}

/// Why a report of gpsd's is skipped; see ``GPSDReport/skipped(reason:device:)``.
enum SkipReason: String, Error {
    case duplicate, garbled, mode, position
    case noPosition = "no-position"
    case tooLong = "too-long"
}
