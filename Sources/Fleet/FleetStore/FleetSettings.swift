#if Fleet
public import Tracking

/// What all doors and workers of a fleet share; it is set once.
public struct FleetSettings: Hashable, Sendable {
    /// The name of the fleet, which its queues begin with.
    public var name: String
    /// The number of partitions, from 1 to 256.
    public let partitions: Int
    /// The settings that events and trips are computed with.
    public var policy: TrackingPolicy

    /// The number of partitions of a fleet that does not say otherwise.
    public static let standardPartitions = 256

    /// Creates settings.
    public init(
        name: String = "waymark", partitions: Int = standardPartitions, policy: TrackingPolicy = TrackingPolicy()
    ) {
        self.name = name
        self.partitions = min(max(1, partitions), 256)
        self.policy = policy
    }

    /// Returns the partition of a device: FNV-1a of its name, modulo their number.
    ///
    /// A device has all its fixes in one partition, because its tracker needs them in their order.
    public func partition(of device: String) -> Int {
        // The offset and the prime of FNV-1a with 64 bits; the upper half is folded in, as its authors advise.
        let hash = device.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return Int((hash ^ hash >> 32) & 0xFFFF_FFFF) % partitions
    }

    /// Returns the name of the queue of a partition.
    public func queue(of partition: Int) -> String { "\(name).fixes.\(partition)" }
}
#endif
