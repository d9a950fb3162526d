#if Companion
import Foundation
import Glibc
import Service
import Time

/// A file that mails are appended to in the mbox format of RFC 4155.
///
/// Only its owner can read it.
struct MailFile: Sendable {
    let path: String

    /// The reason why a mail was not written.
    struct Failure: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    /// Appends a mail.
    ///
    /// - Throws: ``Failure`` if the mail cannot be written completely. The file is then truncated to its previous
    ///   length.
    func append(_ mail: MailText, at now: Timestamp) throws(Failure) {
        // The string outlives the call. Symbolic links are refused: only the owner may read what is written here.
        let descriptor = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("open") }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard fchmod(descriptor, 0o600) == 0 else { throw failure("set the permissions of") }
        let length = lseek(descriptor, 0, SEEK_END)
        guard length >= 0 else { throw failure("append to") }
        let line = "From waymark \(MailText.date(now))\n"
        let bytes = Data((line + mail.text.replacing("\r\n", with: "\n") + "\n").utf8)
        do {
            try handle.write(contentsOf: bytes)
            try handle.synchronize()
        } catch {
            // Removes a partly written mail, which a reader would take for the beginning of the next one.
            ftruncate(descriptor, length)
            throw Failure(description: "the mail file cannot be written: \(error)")
        }
    }

    private func failure(_ verb: String) -> Failure {
        Failure(
            description:
                "cannot \(verb) the mail file \(path): \(String(describing: POSIXError.Code(rawValue: errno) ?? .EIO))")
    }
}
#endif
