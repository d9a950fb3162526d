import NIOCore

/// The event loops of a server process.
public enum EventLoops {
    /// Makes one thread read receivers, run the pipeline and write to subscribers.
    ///
    /// Call it before any of these is created; further calls do nothing. Each step of a fix's path takes a few
    /// microseconds, whereas waking another thread for it takes up to fifty. Slow work has its own threads: commits,
    /// methods and reads of the store.
    public static func useOne() { one }

    private static let one: Void = { NIOSingletons.groupLoopCountSuggestion = 1 }()
}
