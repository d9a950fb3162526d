import CProgram
public import Positioning

/// What this program calls itself.
public enum Product {
    /// The name of the program.
    public static let name = "waymark"
    /// The version of the program.
    ///
    /// Where it was made for a package, it goes on with the day, the time and the commit of its source,
    /// `0.1.0+20261122.0814.980bfce`: Debian orders packages by it.
    public static let version = release + (build.isEmpty ? "" : "+\(build)")
    private static let release = "0.1.0"
    // A constant of the executable.
    private static let build = unsafe String(cString: waymarkBuild())
    /// The day on which this version was made.
    public static let released = CalendarDate(daysSinceEpoch: 20_778)
    /// The earliest day that a live receiver can truly tell: two years before the release.
    ///
    /// A week counter that has rolled over is nearly twenty years behind. A log of last spring that is sent as if it
    /// were live is not.
    public static let earliestDate = CalendarDate(daysSinceEpoch: released.daysSinceEpoch - 2 * 365)
}
