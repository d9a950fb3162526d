import Glibc

/// A Unix stream socket that listens at a path: its descriptor, and its file in the file system.
///
/// This file holds the system calls of making one. Each `unsafe` expression hands a local variable to a call that
/// reads or fills it before it returns and keeps no pointer.
struct ListeningSocket: Sendable {
    /// How many connections may wait to be accepted; the system lowers it to `net.core.somaxconn`.
    private static let backlog: Int32 = 1_024

    /// The descriptor, owned by whoever serves it.
    let descriptor: Int32
    private let path: String
    private let file: FileIdentity

    /// What tells one file from another that takes its place later.
    private struct FileIdentity: Equatable {
        var device: UInt64
        var inode: UInt64
    }

    /// Listens at a path, with this mode.
    ///
    /// The file of a server that is gone is replaced; whether it is gone is found out by connecting. Nobody can
    /// connect before the mode is set, as listening begins after that.
    init(path: String, mode: UInt32) throws(SocketError) {
        let address = try UnixAddress(path: path)
        try Self.makeRoom(at: path, address)
        let descriptor = try Self.makeSocket(path)
        do throws(SocketError) {
            guard unsafe address.withPointer({ unsafe bind(descriptor, $0, $1) }) == 0 else {
                throw SocketError.system(errno, "listen at", path)
            }
            guard unsafe chmod(path, mode) == 0 else { throw SocketError.system(errno, "set the mode of", path) }
            guard let file = Self.status(path)?.identity else { throw SocketError.system(errno, "look at", path) }
            guard listen(descriptor, Self.backlog) == 0 else { throw SocketError.system(errno, "listen at", path) }
            self.descriptor = descriptor
            self.path = path
            self.file = file
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Lets as many connections wait as it should be: NIO makes any listening socket's queue shorter when it takes it
    /// over, and says nothing.
    static func lengthenQueue(of descriptor: Int32) { _ = listen(descriptor, backlog) }

    /// Takes the file away, unless another has come in its place.
    ///
    /// To be called while the descriptor is open: until then no other file can have this one's inode number.
    func removeFile() {
        if Self.status(path)?.identity == file { _ = unsafe unlink(path) }
    }

    /// Makes sure that as many connections can be open beside everything else, as far as the system allows.
    ///
    /// Debian starts programs with 1,024 descriptors, and lets them ask for more. Without one left, a connection could
    /// neither be accepted nor refused, and whoever waits would keep the server busy.
    /// - Returns: how many connections there may be.
    static func makeRoom(forConnections count: Int) -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(resource, &limit) == 0 else { return count }
        let wanted = min(rlim_t(count + otherDescriptors), limit.rlim_max)
        if limit.rlim_cur < wanted {
            limit.rlim_cur = wanted
            _ = unsafe setrlimit(resource, &limit)
            guard unsafe getrlimit(resource, &limit) == 0 else { return count }
        }
        let descriptors = Int(clamping: limit.rlim_cur)
        return min(count, max(descriptors - otherDescriptors, descriptors / 2))
    }

    /// Descriptors that the rest of the program needs: the store, receivers, event loops.
    private static let otherDescriptors = 256

    /// Checks that a path can be the address of a socket.
    static func check(_ path: String) throws(SocketError) { _ = try UnixAddress(path: path) }

    private static func makeSocket(_ path: String) throws(SocketError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw SocketError.system(errno, "make a socket for", path) }
        return descriptor
    }

    /// Removes what a dead server left at the path; refuses where a live one or something else is.
    private static func makeRoom(at path: String, _ address: UnixAddress) throws(SocketError) {
        guard let status = status(path) else { return }
        guard status.isSocket else {
            throw SocketError(
                .notASocket, "\(path) exists and is not a socket. Remove it, or choose another path for the socket.")
        }
        let descriptor = try makeSocket(path)
        defer { close(descriptor) }
        let result = unsafe address.withPointer { unsafe connect(descriptor, $0, $1) }
        switch result == 0 ? 0 : errno {
        case ECONNREFUSED:
            guard unsafe unlink(path) == 0 || errno == ENOENT else {
                throw SocketError.system(errno, "remove the stale socket", path)
            }
        case ENOENT: break
        case 0, EAGAIN, EINPROGRESS:
            throw SocketError(
                .inUse, "Another server listens at \(path). Stop it first, or choose another path for the socket.")
        case let number: throw SocketError.system(number, "find out whether a server listens at", path)
        }
    }

    private static func status(_ path: String) -> (isSocket: Bool, identity: FileIdentity)? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        return (
            status.st_mode & S_IFMT == S_IFSOCK,
            FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        )
    }

    /// Hands an address to a call that takes the general type; `sockaddr_un` begins like it, and the length says how
    /// long it is.
}
