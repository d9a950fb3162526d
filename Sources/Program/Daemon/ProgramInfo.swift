import CProgram
public import Time

/// The name and version of this program.
public enum ProgramInfo {
    /// The name of the program.
    public static let name = "waymark"
    /// The version of the program.
    ///
    /// In a package, the day, time and commit of the source follow, such as `0.1.0+20261122.0814.980bfce`. Debian
    /// orders packages by it.
    public static let version = release + (build.isEmpty ? "" : "+\(build)")
    private static let release = "0.1.0"
    // The function returns a constant of the executable.
    private static let build = unsafe String(cString: waymarkBuild())
    /// The release date of this version.
    public static let released = CalendarDate(daysSinceEpoch: 20_778)
    /// The earliest date that a live receiver can plausibly report: two years before the release.
    ///
    /// A receiver whose week counter has rolled over reports a date nearly twenty years in the past. A log of last
    /// spring that is sent as if it were live is still accepted.
    public static let earliestDate = CalendarDate(daysSinceEpoch: released.daysSinceEpoch - 2 * 365)
}
