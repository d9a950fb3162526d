import CProgram

/// The message that the program writes when a signal ends it.
public enum CrashMessage {
    /// Makes the program write one line to standard error before a signal of a programming error or a watchdog ends it.
    ///
    /// The line holds the signal and the addresses of the call stack, for addr2line(1) and the package
    /// `waymark-dbgsym`.
    public static func install() { waymarkInstallCrashHandler() }
}
