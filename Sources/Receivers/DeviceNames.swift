/// What the receivers of one source are called.
///
/// A receiver that is alone has the source's name. Where gpsd lists several, each is NAME/BASENAME, and so is one that
/// turns up later beside another. Of two with the same base name the later has more of its path. A path keeps its name;
/// the source's name passes to a new path only where gpsd lists that one alone, as after a receiver was plugged into
/// another socket.
struct DeviceNames: Sendable {
    /// gpsd takes 6 devices; a server that names more than this invents them, and they share the source's name.
    static let mostPaths = 64

    private let name: String
    private var names: [String: String] = [:]

    /// The receivers of a source of this name.
    init(_ name: String) { self.name = name }

    /// gpsd has these receivers.
    mutating func list(_ paths: [String]) {
        if let path = paths.first, paths.count == 1 {
            guard names[path] == nil else { return }
            for (other, its) in names where its == name { names[other] = nil }
            names[path] = name
        } else {
            for path in paths { add(path, isAlone: false) }
        }
    }

    /// What the receiver of a path is called; without a path it is the source itself.
    mutating func name(of path: String?) -> String {
        guard let path else { return name }
        add(path, isAlone: names.isEmpty)
        return names[path] ?? name
    }

    /// Whether a path is called so.
    func isGiven(_ name: String) -> Bool { names.values.contains(name) }

    private mutating func add(_ path: String, isAlone: Bool) {
        guard names[path] == nil, names.count < Self.mostPaths else { return }
        guard !isAlone else { return names[path] = name }
        let parts = path.split(separator: "/")
        let taken = Set(names.values)
        for length in 1...max(1, parts.count) {
            let candidate = "\(name)/\(parts.suffix(length).joined(separator: "/"))"
            guard taken.contains(candidate) else { return names[path] = candidate }
        }
    }
}
