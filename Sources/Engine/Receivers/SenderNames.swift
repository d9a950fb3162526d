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
    private var names: [String: (device: String, heard: Instant)] = [:]

    /// Creates the names of a source.
    ///
    /// - Parameter known: the names of the devices that the source had before.
    init(_ name: String, known: [String], at now: Instant) {
        self.name = name
        for device in known.prefix(Self.maximumCount) where device.hasPrefix("\(name)/") {
            let address = String(device.dropFirst(name.count + 1))
            names[address] = (device, now)
        }
    }

    /// Returns the name of a sender's device, or `nil` if there are too many senders.
    mutating func name(of address: String, at now: Instant) -> String? {
        if let known = names[address] {
            names[address] = (known.device, now)
            return known.device
        }
        let holder = names.first { $0.value.device == name }
        if let holder, now - holder.value.heard >= Self.patience { names[holder.key] = nil }
        let isFree = holder.map { names[$0.key] == nil } ?? true
        if names.count >= Self.maximumCount {
            guard let oldest = names.min(by: { $0.value.heard < $1.value.heard }),
                now - oldest.value.heard >= Self.patience
            else { return nil }
            names[oldest.key] = nil
        }
        let device = isFree ? name : "\(name)/\(address)"
        names[address] = (device, now)
        return device
    }
}
