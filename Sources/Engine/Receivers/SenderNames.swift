/// The device names of those who send datagrams to one port.
///
/// The first sender of positions has the source's name. Another one that sends while the first was heard of lately is
/// NAME/ADDRESS, and stays it over restarts. If the first has been silent for ten minutes, its name passes to the next
/// unknown sender, because a network may have given it another address.
struct SenderNames: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The greatest number of senders.
    static let maximumCount = SenderFeeds.maximumCount
    /// The silence after which a sender's place is free.
    static let patience = Duration.seconds(600)

    private let name: String
    private var names = RecentValues<String, (device: String, heard: Instant)>()
    /// The address of the sender that has the source's name.
    private var holder: String?

    /// Creates the names of a source.
    ///
    /// - Parameter known: the names of the devices that the source had before.
    init(_ name: String, known: [String], at now: Instant) {
        self.name = name
        for device in known.prefix(Self.maximumCount) where device.hasPrefix("\(name)/") {
            names.use(String(device.dropFirst(name.count + 1)), or: (device, now)) { _ in }
        }
    }

    /// Returns the name of a sender's device, or `nil` if there are too many senders.
    mutating func name(of address: String, at now: Instant) -> String? {
        if names.peek(address) != nil {
            return names.use(address, or: (name, now)) { known in
                known.heard = now
                return known.device
            }
        }
        if let silent = holder, let heard = names.peek(silent)?.heard, now - heard >= Self.patience { forget(silent) }
        if names.count >= Self.maximumCount {
            guard let oldest = names.first, now - oldest.value.heard >= Self.patience else { return nil }
            forget(oldest.key)
        }
        let device = holder == nil ? name : "\(name)/\(address)"
        if holder == nil { holder = address }
        return names.use(address, or: (device, now)) { $0.device }
    }

    private mutating func forget(_ address: String) {
        names.remove(address)
        if holder == address { holder = nil }
    }
}
