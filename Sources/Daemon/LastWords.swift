import CProgram

/// What the program says where a signal ends it.
public enum LastWords {
    /// Has it write one line to standard error before a signal ends it that a mistake of its own, or a watchdog, sends:
    /// the signal, and the addresses of the calls that led there, for addr2line(1) and the package `waymark-dbgsym`.
    public static func prepare() { waymarkTellOfCrashes() }
}
