import NIOCore

/// The event loops of a process that serves.
public enum EventLoops {
    /// Has one thread hear receivers, work the pipeline and write to subscribers; to be called before any of these is
    /// made, and does nothing when called again.
    ///
    /// Each step of a fix's way takes a few microseconds, and waking another thread for it up to fifty. What takes long,
    /// commits, methods and reading the store, has threads of its own.
    public static func useOne() { one }

    private static let one: Void = { NIOSingletons.groupLoopCountSuggestion = 1 }()
}
