import CProgram

/// What the process holds of the machine's memory beyond what it uses, such as after a large import.
struct ProcessMemory {
    /// How much may come free before it is given back, in bytes: that costs a walk through all of it.
    private static let most = 4 << 20

    /// What was free at the least since the last time, also where its pages were given back.
    private var least = waymarkUnusedMemory()

    /// Gives back what has come free, where it is worth the while.
    mutating func giveBack() {
        let unused = waymarkUnusedMemory()
        least = min(least, unused)
        guard unused - least >= Self.most else { return }
        waymarkGiveMemoryBack()
        least = waymarkUnusedMemory()
    }
}
