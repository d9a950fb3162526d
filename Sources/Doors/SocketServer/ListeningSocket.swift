import Glibc

/// A listening Unix stream socket: its descriptor and its file.
///
/// This file contains the system calls that create it. Each `unsafe` expression passes a local variable to a call
/// that reads or fills it before it returns and keeps no pointer.
struct ListeningSocket: Sendable {
    /// The maximum number of connections waiting to be accepted.
    ///
    /// The system reduces it to `net.core.somaxconn`.
    private static let backlog: Int32 = 1_024

    /// The descriptor, owned by the server that uses it.
    let descriptor: Int32
    private let path: String
    private let file: FileIdentity

    /// Distinguishes the file from another that later replaces it.
    private struct FileIdentity: Equatable {
        var device: UInt64
        var inode: UInt64
    }

    /// Listens at a path, and sets the mode of the socket's file.
    ///
    /// It replaces the file of a server that no longer runs, which it finds out by connecting. Nobody can connect
    /// before the mode is set, because listening begins afterwards.
    ///
    /// - Throws: ``SocketError`` if the path is invalid or in use, or the system refuses.
    init(path: String, mode: UInt32) throws(SocketError) {
        let address = try UnixAddress(path: path)
        try Self.makeRoom(at: path, address)
        let descriptor = try Self.makeSocket(path)
        do throws(SocketError) {
            guard unsafe address.withPointer({ unsafe bind(descriptor, $0, $1) }) == 0 else {
                throw SocketError.system(errno, "listen at", path)
            }
            guard unsafe chmod(path, mode) == 0 else { throw SocketError.system(errno, "set the mode of", path) }
            guard let file = Self.status(path)?.identity else { throw SocketError.system(errno, "inspect", path) }
            guard listen(descriptor, Self.backlog) == 0 else { throw SocketError.system(errno, "listen at", path) }
            self.descriptor = descriptor
            self.path = path
            self.file = file
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Restores the length of the queue of waiting connections.
    ///
    /// NIO silently shortens the queue of any listening socket that it takes over.
    static func lengthenQueue(of descriptor: Int32) { _ = listen(descriptor, backlog) }

    /// Removes the file, unless another file has replaced it.
    ///
    /// Must be called while the descriptor is open, because until then no other file can have the same inode number.
    func removeFile() {
        if Self.status(path)?.identity == file { _ = unsafe unlink(path) }
    }

    /// Raises the process's limit of descriptors, so that `count` connections can be open, as far as the system
    /// allows.
    ///
    /// Debian starts programs with 1,024 descriptors, and lets them ask for more. Without a free descriptor, a
    /// connection can be neither accepted nor refused, and a waiting client would keep the server busy.
    ///
    /// - Returns: The number of connections that may be open.
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

    /// The number of descriptors reserved for the rest of the program: the store, receivers and event loops.
    private static let otherDescriptors = 256

    /// Checks that a path can be the address of a socket.
    ///
    /// - Throws: ``SocketError`` if the path is too long, empty, or contains a zero byte.
    static func check(_ path: String) throws(SocketError) { _ = try UnixAddress(path: path) }

    private static func makeSocket(_ path: String) throws(SocketError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw SocketError.system(errno, "create a socket for", path) }
        return descriptor
    }

    /// Removes a socket file that no server listens at.
    ///
    /// - Throws: ``SocketError`` if a server listens at the path, or the file is not a socket.
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
}
