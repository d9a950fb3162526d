public import Glibc

/// The credentials of a connection's peer, from the kernel.
///
/// Nothing that the peer sends can change them.
///
/// This file contains the system calls that read them. Each `unsafe` expression passes local memory and its size to a
/// call that fills it before it returns and keeps no pointer.
public struct PeerCredentials: Sendable, Equatable {
    /// The process that connected, which may no longer exist.
    public let process: pid_t
    /// The user that the process ran as.
    public let user: uid_t
    /// The process's groups, primary and supplementary.
    public let groups: Set<gid_t>

    /// Reads the credentials of the peer of a connected Unix socket (unix(7), `SO_PEERCRED` and `SO_PEERGROUPS`).
    ///
    /// - Throws: ``SocketError`` if the descriptor is not such a socket.
    init(descriptor: Int32) throws(SocketError) {
        // struct ucred is three 32-bit numbers: pid, uid, gid.
        let credentials = try Self.option(SO_PEERCRED, of: descriptor, count: 3)
        guard credentials.count == 3 else { throw SocketError(.system(EINVAL), "The peer has no credentials.") }
        process = pid_t(bitPattern: credentials[0])
        user = credentials[1]
        groups = Set(try Self.option(Self.peerGroups, of: descriptor, count: 32) + [credentials[2]])
    }

    /// Creates credentials for tests and benchmarks.
    package init(process: pid_t, user: uid_t, groups: Set<gid_t>) {
        self.process = process
        self.user = user
        self.groups = groups
    }

    /// Returns whether the peer may make changes: root, the user of this process, and the members of `group` may.
    public func mayChange(group: gid_t?) -> Bool {
        user == 0 || user == geteuid() || group.map(groups.contains) ?? false
    }

    /// Returns the number of a group by its name; `nil` if there is none.
    public static func groupNumber(named name: String) -> gid_t? {
        // The entry of a group with many members needs a larger buffer. The search ends beyond 1 MiB.
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

    /// The option `SO_PEERGROUPS` of asm-generic/socket.h, which the C library's headers hide from Swift.
    private static let peerGroups: Int32 = 59

    /// Reads a socket option that is a list of 32-bit numbers.
    ///
    /// It retries with a larger array if `count` is too small.
    private static func option(_ name: Int32, of descriptor: Int32, count: Int) throws(SocketError) -> [UInt32] {
        let width = MemoryLayout<UInt32>.size
        var values = [UInt32](repeating: 0, count: count)
        var length = socklen_t(count * width)
        // The given length is that of the array's memory. The call writes no more, and sets it to the length of the
        // value.
        if unsafe getsockopt(descriptor, SOL_SOCKET, name, &values, &length) == 0 {
            return Array(values.prefix(Int(length) / width))
        }
        let needed = Int(length) / width
        guard errno == ERANGE, needed > count else {
            throw SocketError.system(errno, "get the credentials of the peer of", "the connection")
        }
        return try option(name, of: descriptor, count: needed)
    }
}
