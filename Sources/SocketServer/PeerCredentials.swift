public import Glibc

/// Who opened a connection, as the kernel says: nothing the other side sends can change it.
///
/// This file holds the system calls for it. Each `unsafe` expression hands local memory and its size to a call that
/// fills it before it returns and keeps no pointer.
public struct PeerCredentials: Sendable, Equatable {
    /// The process that connected; it may be gone.
    public let process: pid_t
    /// The user it ran as.
    public let user: uid_t
    /// Its groups, the main one and the others.
    public let groups: Set<gid_t>

    /// The credentials of the peer of a connected Unix socket (unix(7), `SO_PEERCRED` and `SO_PEERGROUPS`).
    ///
    /// - Throws: ``SocketError`` where the descriptor is no such socket.
    init(descriptor: Int32) throws(SocketError) {
        // struct ucred is three 32-bit numbers: pid, uid, gid.
        let credentials = try Self.option(SO_PEERCRED, of: descriptor, count: 3)
        guard credentials.count == 3 else { throw SocketError(.system(EINVAL), "The peer has no credentials.") }
        process = pid_t(bitPattern: credentials[0])
        user = credentials[1]
        groups = Set(try Self.option(Self.peerGroups, of: descriptor, count: 32) + [credentials[2]])
    }

    /// Credentials as they are, for tests and measurements.
    package init(process: pid_t, user: uid_t, groups: Set<gid_t>) {
        self.process = process
        self.user = user
        self.groups = groups
    }

    /// Whether the peer may change things: root, the user this process runs as, and members of a group may.
    public func mayChange(group: gid_t?) -> Bool {
        user == 0 || user == geteuid() || group.map(groups.contains) ?? false
    }

    /// The number of the group of that name; nil where there is none.
    public static func groupNumber(named name: String) -> gid_t? {
        // Where members are many the entry needs more room; beyond 1 MiB it is given up.
        var size = 1_024
        while size <= 1 << 20 {
            var entry = unsafe group()
            var found: UnsafeMutablePointer<group>?
            var buffer = [CChar](repeating: 0, count: size)
            let result = unsafe getgrnam_r(name, &entry, &buffer, size, &found)
            if result == 0 { return unsafe found == nil ? nil : entry.gr_gid }
            guard result == ERANGE else { return nil }
            size *= 4
        }
        return nil
    }

    /// `SO_PEERGROUPS` of asm-generic/socket.h, which the C library's headers hide from Swift.
    private static let peerGroups: Int32 = 59

    /// A socket option that is a list of 32-bit numbers; asked again with more room where `count` was too few.
    private static func option(_ name: Int32, of descriptor: Int32, count: Int) throws(SocketError) -> [UInt32] {
        let width = MemoryLayout<UInt32>.size
        var values = [UInt32](repeating: 0, count: count)
        var length = socklen_t(count * width)
        // The length given is that of the array's memory; the call writes no more and sets it to what it has.
        if unsafe getsockopt(descriptor, SOL_SOCKET, name, &values, &length) == 0 {
            return Array(values.prefix(Int(length) / width))
        }
        let needed = Int(length) / width
        guard errno == ERANGE, needed > count else {
            throw SocketError.system(errno, "ask who opened", "the connection")
        }
        return try option(name, of: descriptor, count: needed)
    }
}
