import Foundation
import Glibc
import TestSupport

/// A file system of a few megabytes that a test can fill; `deinit` unmounts it.
final class SmallDisk {
    /// The mount point.
    let path: String
    private let folder: TemporaryFolder

    /// Whether this process may mount a file system.
    static let isPossible = (try? SmallDisk()) != nil

    init(megabytes: Int = 16) throws {
        folder = try TemporaryFolder()
        path = folder.path
        let mount = try ChildProcess(
            ["mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "none", path],
            environment: ChildProcess.environment, output: .standardOutput, errors: .standardError)
        guard mount.wait() == .exit(0) else { throw RunningDaemon.Failure(description: "mount is refused") }
    }

    deinit {
        // A lazy unmount, so that a process with an open file keeps it until it closes the file. The call only reads
        // the path.
        _ = unsafe umount2(path, Int32(MNT_DETACH))
    }

    /// Writes until nothing more fits.
    ///
    /// Each `unsafe` passes a string or an array to a call that reads it before it returns.
    func fill() throws {
        let filler = unsafe open(path + "/filler", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(filler) }
        for size in [65_536, 512, 1] {
            let piece = [UInt8](repeating: 0x20, count: size)
            while unsafe write(filler, piece, size) > 0 {}
        }
        guard errno == ENOSPC else { throw RunningDaemon.Failure(description: "filling: errno \(errno)") }
    }

    /// Deletes the filler.
    func free() throws { try FileManager.default.removeItem(atPath: path + "/filler") }
}
