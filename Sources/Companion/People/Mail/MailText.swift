#if Companion
import Foundation
import Service
import Time

/// The text of a mail as it is sent: the header and body of RFC 5322, in lines that end with CR LF.
///
/// The text is ASCII, except for addresses that are not. No text of a mail can add a header line of its own.
struct MailText: Hashable, Sendable {
    let text: String

    /// The length at which a line of the body is broken (RFC 2045, section 6.7).
    private static let longestLine = 76
    /// The maximum number of bytes of text in one encoded word.
    ///
    /// With its delimiters, such a word fits into a line of 76 characters (RFC 2047, section 2), even into the first
    /// line after the header's name.
    private static let longestWord = 39

    /// Renders a mail.
    ///
    /// - Parameter name: The left part of the `Message-ID`. It must be unique among all mails of the sender.
    init(_ mail: Mail, from sender: String, date: Timestamp, name: String) {
        let domain = Self.oneLine(sender.split(separator: "@").last.map(String.init) ?? "localhost")
            .replacing(">", with: "")
        let lines = [
            "Date: \(Self.date(date))",
            "From: \(Self.oneLine(sender))",
            "To: \(Self.address(mail.recipient, name: mail.name))",
            "Message-ID: <\(name)@\(domain)>",
            "Subject: \(Self.words(mail.subject))",
            "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: quoted-printable",
            "Auto-Submitted: auto-generated",
            "",
        ]
        text = lines.map { $0 + "\r\n" }.joined() + Self.quotedPrintable(mail.body)
    }

    /// Returns the text without control characters, such as those that end a line.
    private static func oneLine(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.generalCategory != .control }))
    }

    /// Returns an address together with the recipient's name, as a header has it.
    private static func address(_ address: String, name: String) -> String {
        let address = oneLine(address).filter { !"<> ,;".contains($0) }
        return name.isEmpty ? "<\(address)>" : "\(words(name, isPhrase: true))\r\n <\(address)>"
    }

    /// Returns a header's text, as encoded words (RFC 2047) if it needs them.
    private static func words(_ text: String, isPhrase: Bool = false) -> String {
        let text = oneLine(text)
        let plain = text.utf8.allSatisfy { byte in
            isPhrase
                ? byte == 0x20 || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                    || (0x61...0x7A).contains(byte) : (0x20...0x7E).contains(byte)
        }
        if plain, text.utf8.count <= longestLine, !text.contains("=?") { return text }
        var words: [String] = []
        var word = ""
        // A scalar is never split between two words.
        for scalar in text.unicodeScalars {
            if word.utf8.count + String(scalar).utf8.count > longestWord {
                words.append(word)
                word = ""
            }
            word.unicodeScalars.append(scalar)
        }
        words.append(word)
        return words.map { "=?utf-8?B?\(Data($0.utf8).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }

    /// Returns the body in quoted-printable encoding.
    ///
    /// No line begins with a dot or with `From `, because some mail programs interpret these.
    private static func quotedPrintable(_ body: String) -> String {
        var result = ""
        let lines = body.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
        for line in lines {
            let bytes = Array(line.utf8)
            var column = 0
            for (index, byte) in bytes.enumerated() {
                let isLast = index == bytes.count - 1
                let isPlain =
                    switch byte {
                    case 0x3D: false
                    case 0x20, 0x09: !isLast
                    case 0x2E: column > 0
                    case 0x46: column > 0 || !bytes[index...].starts(with: Array("From ".utf8))
                    default: (0x21...0x7E).contains(byte)
                    }
                let piece = isPlain ? String(UnicodeScalar(byte)) : "=" + hexadecimal(byte)
                if column + piece.utf8.count > longestLine - 1 {
                    result += "=\r\n"
                    column = 0
                }
                result += piece
                column += piece.utf8.count
            }
            result += "\r\n"
        }
        return result
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = Array("0123456789ABCDEF")
        return String([digits[Int(byte >> 4)], digits[Int(byte & 15)]])
    }

    /// Returns a time as mails have it, such as `Fri, 01 May 2026 10:00:00 +0000`.
    static func date(_ time: Timestamp) -> String {
        let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        // 1970 began on a Thursday.
        let day = Int((time.milliseconds / 86_400_000) % 7 + 7) % 7
        let text = time.description
        let parts = text.prefix(10).split(separator: "-")
        guard parts.count == 3, let month = Int(parts[1]), months.indices.contains(month - 1) else { return text }
        return "\(days[day]), \(parts[2]) \(months[month - 1]) \(parts[0]) \(text.dropFirst(11).prefix(8)) +0000"
    }
}
#endif
