import Geodesy

/// The names and places of geofences, by number, as events contain them.
///
/// Ids and titles are stored in one run of bytes. Separate strings would take three times the memory.
struct GeofenceLabels: Sendable {
    /// The name and place of a geofence.
    struct Label: Sendable {
        var identity: Geofence.Identity
        var title: String
        var center: Coordinate

        init(_ geofence: Geofence) {
            self.init(identity: geofence.identity, title: geofence.title, center: geofence.center)
        }

        init(identity: Geofence.Identity, title: String, center: Coordinate) {
            self.identity = identity
            self.title = title
            self.center = center
        }
    }

    /// The position of a geofence's names in ``names``.
    ///
    /// The title follows the id.
    ///
    /// Offsets have 32 bits, since four gigabytes of names exceed any memory this is meant for.
    private struct Entry: Sendable {
        var start: UInt32
        var idCount: UInt32
        var titleCount: UInt32
        var center: Coordinate
        /// The position of its kind in ``kinds``.
        var kind: UInt8

        var id: Range<Int> { Int(start)..<Int(start + idCount) }
        var title: Range<Int> { Int(start + idCount)..<Int(start + idCount + titleCount) }
    }

    private var entries: ContiguousArray<Entry> = []
    private var names: ContiguousArray<UInt8> = []
    /// The kinds in use.
    ///
    /// There are only a few, at most one for each feature.
    private var kinds: [Geofence.Kind] = []
    /// The number of bytes in ``names`` that are no longer used.
    private var unused = 0

    /// The usual size of an id and title together, in bytes of UTF-8.
    ///
    /// If it is too much, the rest is never touched.
    private static let usualNames = 32

    mutating func reserveCapacity(_ count: Int) {
        entries.reserveCapacity(count)
        names.reserveCapacity(count * Self.usualNames)
    }

    mutating func append(_ label: Label) { entries.append(write(label)) }

    subscript(number: Int) -> Label {
        get {
            let entry = entries[number]
            return Label(
                identity: .init(kind: kinds[Int(entry.kind)], id: String(decoding: names[entry.id], as: UTF8.self)),
                title: String(decoding: names[entry.title], as: UTF8.self), center: entry.center)
        }
        set {
            unused += Int(entries[number].idCount + entries[number].titleCount)
            entries[number] = write(newValue)
            if unused > names.count / 2 { tidy() }
        }
    }

    /// Whether the geofence with a number has this identity, compared byte by byte.
    func matches(_ number: Int, _ identity: Geofence.Identity) -> Bool {
        let entry = entries[number]
        return kinds[Int(entry.kind)] == identity.kind && Int(entry.idCount) == identity.id.utf8.count
            && names[entry.id].elementsEqual(identity.id.utf8)
    }

    /// Returns the hash of the identity of the geofence with a number.
    func hash(_ number: Int) -> Int { Self.hash(kind(number), names[entries[number].id]) }

    /// Returns the kind of the geofence with a number.
    func kind(_ number: Int) -> Geofence.Kind { kinds[Int(entries[number].kind)] }

    /// Returns the hash of an identity.
    static func hash(_ identity: Geofence.Identity) -> Int { hash(identity.kind, identity.id.utf8) }

    private static func hash(_ kind: Geofence.Kind, _ id: some Collection<UInt8>) -> Int {
        var hasher = Hasher()
        hasher.combine(kind)
        let isHashed: Void? = id.withContiguousStorageIfAvailable { bytes in
            // The pointer is only used during this call.
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }
        // The text is not contiguous, which ids from a store never are.
        if isHashed == nil { return hash(kind, Array(id)) }
        return hasher.finalize()
    }

    private mutating func write(_ label: Label) -> Entry {
        let start = names.count
        names.append(contentsOf: label.identity.id.utf8)
        let middle = names.count
        names.append(contentsOf: label.title.utf8)
        return Entry(
            start: UInt32(start), idCount: UInt32(middle - start), titleCount: UInt32(names.count - middle),
            center: label.center, kind: place(of: label.identity.kind))
    }

    /// Returns the position of a kind in ``kinds``, which is appended if it is new.
    private mutating func place(of kind: Geofence.Kind) -> UInt8 {
        if let place = kinds.firstIndex(of: kind) { return UInt8(place) }
        precondition(kinds.count < Int(UInt8.max), "too many kinds of geofences")
        kinds.append(kind)
        return UInt8(kinds.count - 1)
    }

    /// Removes the unused bytes.
    ///
    /// The time this takes is amortised over the changes that left them.
    private mutating func tidy() {
        let old = names
        names = []
        names.reserveCapacity(old.count - unused)
        for index in entries.indices {
            let entry = entries[index]
            entries[index].start = UInt32(names.count)
            names.append(contentsOf: old[entry.id.lowerBound..<entry.title.upperBound])
        }
        unused = 0
    }
}
