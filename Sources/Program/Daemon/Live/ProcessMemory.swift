import CProgram

/// The memory that the process holds but no longer uses, for example after a large import.
struct ProcessMemory {
    /// The amount of newly free memory that is worth releasing, in bytes; releasing costs a walk through all of it.
    private static let releaseThreshold = 4 << 20

    /// The least unused memory since the last release, in bytes, including pages that were already released.
    private var least: Int

    /// Releases what is unused now, however little it is.
    init() {
        waymarkGiveMemoryBack()
        least = waymarkUnusedMemory()
    }

    /// Releases unused memory to the system if enough of it has become free.
    mutating func releaseUnused() {
        let unused = waymarkUnusedMemory()
        least = min(least, unused)
        guard unused - least >= Self.releaseThreshold else { return }
        waymarkGiveMemoryBack()
        least = waymarkUnusedMemory()
    }
}
