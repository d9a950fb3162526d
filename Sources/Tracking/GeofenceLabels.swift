import Geodesy

/// What events say of geofences, by their numbers.
///
/// Ids and titles are bytes one after another: as strings of their own they would take three times the memory.
struct GeofenceLabels: Sendable {
    /// What events say of a geofence.
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

    /// Where the names stand: the title follows the id.
    ///
    /// Four gigabytes of names are beyond any memory meant here.
    private struct Entry: Sendable {
        var start: UInt32
        var idCount: UInt32
        var titleCount: UInt32
        var center: Coordinate
        /// The place of its kind among ``kinds``.
        var kind: UInt8

        var id: Range<Int> { Int(start)..<Int(start + idCount) }
        var title: Range<Int> { Int(start + idCount)..<Int(start + idCount + titleCount) }
    }

    private var entries: ContiguousArray<Entry> = []
    private var names: ContiguousArray<UInt8> = []
    /// The kinds there are: as many as features have, a few.
    private var kinds: [Geofence.Kind] = []
    /// Bytes of names that stand for nothing any more.
    private var unused = 0

    /// As much as id and title of a geofence take, bytes of UTF-8; what it is too much is never touched.
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

    /// Whether a number's geofence is called so, byte for byte.
    func matches(_ number: Int, _ identity: Geofence.Identity) -> Bool {
        let entry = entries[number]
        return kinds[Int(entry.kind)] == identity.kind && Int(entry.idCount) == identity.id.utf8.count
            && names[entry.id].elementsEqual(identity.id.utf8)
    }

    /// The hash of a number's identity.
    func hash(_ number: Int) -> Int { Self.hash(kind(number), names[entries[number].id]) }

    /// What a number's geofence is.
    func kind(_ number: Int) -> Geofence.Kind { kinds[Int(entries[number].kind)] }

    /// The hash of an identity.
    static func hash(_ identity: Geofence.Identity) -> Int { hash(identity.kind, identity.id.utf8) }

    private static func hash(_ kind: Geofence.Kind, _ id: some Collection<UInt8>) -> Int {
        var hasher = Hasher()
        hasher.combine(kind)
        let isHashed: Void? = id.withContiguousStorageIfAvailable { bytes in
            // The bytes are read during the call alone.
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }
        // Of a text that is not in one piece, which no id of a store is.
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

    /// The place of a kind among those there are, which it has from now on.
    private mutating func place(of kind: Geofence.Kind) -> UInt8 {
        if let place = kinds.firstIndex(of: kind) { return UInt8(place) }
        precondition(kinds.count < Int(UInt8.max), "more kinds of geofences than any list of features has")
        kinds.append(kind)
        return UInt8(kinds.count - 1)
    }

    /// Drops the bytes that stand for nothing, which takes as long as so many changes have.
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
