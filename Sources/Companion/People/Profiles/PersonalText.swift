import Foundation
package import RPC
import Service
import Time

/// The checks of texts that people enter about themselves.
///
/// The functions that return a text return the form in which it is stored, composed (NFC) and without white space at
/// the ends. All of them throw a `Refusal` (`.invalidValue`) that names the field if the text is not valid.
package enum PersonalText {
    /// The maximum length of a first or last name, in bytes of UTF-8.
    package static let longestName = 100
    /// The maximum length of a username, in bytes of UTF-8.
    ///
    /// Usernames occur in events and in a ``SubjectID``.
    static let longestUsername = 200
    /// The maximum length of a username, in characters.
    static let maximumCharacters = 64
    /// The maximum length of a mail address, in bytes of UTF-8 (RFC 5321, section 4.5.3.1.3, without the angle
    /// brackets).
    static let longestEmail = 254
    /// The maximum length of a telephone number, in characters, including spaces and signs.
    static let longestPhone = 40
    /// The maximum length of the address of a website, in bytes of UTF-8.
    static let longestWebsite = 500
    /// The valid values for the gender.
    static let genders = ["female", "male", "other", "undisclosed"]

    /// Checks a first or last name.
    package static func name(_ text: String, _ field: String) throws(Refusal) -> String {
        let name = trimmed(text)
        guard !name.isEmpty else { throw .invalid(field, "must not be empty") }
        guard name.utf8.count <= longestName else {
            throw .invalid(field, "must have at most \(longestName) bytes")
        }
        guard name.unicodeScalars.allSatisfy(isVisible) else {
            throw .invalid(field, "must not have control characters")
        }
        return name
    }

    /// Checks a username: letters, digits, `.`, `_` and `-`, of which the first is a letter or digit.
    ///
    /// The result is in lower case, so names that differ only in case are the same.
    package static func username(_ text: String) throws(Refusal) -> String {
        let id = trimmed(text).lowercased().precomposedStringWithCanonicalMapping
        guard id.count <= maximumCharacters, id.utf8.count <= longestUsername else {
            throw .invalid("username", "must have at most \(maximumCharacters) characters")
        }
        // Checks scalars instead of characters, because a character may contain invisible scalars.
        guard let first = id.first, first.isLetter || first.isNumber, id.unicodeScalars.allSatisfy(isOfUsername) else {
            throw .invalid("username", "must consist of letters, digits, ., _ and -, and begin with a letter or digit")
        }
        return id
    }

    private static func isOfUsername(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.properties.isDefaultIgnorableCodePoint else { return false }
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .otherLetter, .modifierLetter, .decimalNumber, .nonspacingMark, .spacingMark: return true
        default: return "._-".unicodeScalars.contains(scalar)
        }
    }

    /// Checks a mail address.
    ///
    /// The result is in lower case, because in practice addresses that differ only in case reach the same person.
    static func email(_ text: String, _ field: String = "email") throws(Refusal) -> String {
        let address = trimmed(text).lowercased()
        let parts = address.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, isDotted(parts[0]), isDotted(parts[1]),
            parts[1].split(separator: ".").allSatisfy({ $0.first != "-" && $0.last != "-" }),
            address.unicodeScalars.allSatisfy({ isVisible($0) && !refusedInAddress.contains($0) })
        else { throw .invalid(field, "must be a mail address, such as ada@example.org") }
        guard address.utf8.count <= longestEmail else {
            throw .invalid(field, "must have at most \(longestEmail) bytes")
        }
        return address
    }

    /// Checks a telephone number: 3 to 20 digits, spaces and signs, with `+` only at the beginning.
    static func phone(_ text: String) throws(Refusal) -> String {
        let phone = trimmed(text)
        let digits = phone.filter { $0.isASCII && $0.isNumber }.count
        guard (3...20).contains(digits), phone.count <= longestPhone,
            phone.lastIndex(of: "+") ?? phone.startIndex == phone.startIndex,
            phone.allSatisfy({ ($0.isASCII && $0.isNumber) || "+ ()-./".contains($0) })
        else { throw .invalid("phone", "must be a telephone number of 3 to 20 digits, such as +31 20 555 0100") }
        return phone
    }

    /// Checks a gender, which must be one of ``genders``.
    static func gender(_ text: String) throws(Refusal) -> String {
        guard genders.contains(text) else {
            throw .invalid("gender", "must be one of \(genders.joined(separator: ", "))")
        }
        return text
    }

    /// Checks a day of birth, as `YYYY-MM-DD`, which must be a real day from 1880 until today.
    static func born(_ text: String, now: Timestamp) throws(Refusal) -> String {
        let day = trimmed(text)
        guard day.utf8.count == 10, Timestamp(rfc3339: "\(day)T00:00:00Z") != nil, day >= earliestBirth else {
            throw .invalid("born", "must be a past day, as YYYY-MM-DD")
        }
        guard day <= now.description.prefix(10) else { throw .invalid("born", "must not be in the future") }
        return day
    }

    /// Checks the address of a website, which must begin with `http://` or `https://`.
    static func website(_ text: String) throws(Refusal) -> String {
        let address = trimmed(text)
        let rest = ["https://", "http://"].compactMap { scheme in
            address.lowercased().hasPrefix(scheme) ? address.dropFirst(scheme.count) : nil
        }.first
        guard let first = rest?.first, first.isLetter || first.isNumber || first == "[",
            address.utf8.count <= longestWebsite,
            address.unicodeScalars.allSatisfy({
                isVisible($0) && !$0.properties.isWhitespace && !"<>\"".unicodeScalars.contains($0)
            })
        else {
            throw .invalid(
                "website", "must be an address that begins with https:// or http://, of at most \(longestWebsite) bytes"
            )
        }
        return address
    }

    /// The earliest accepted day of birth.
    ///
    /// Nobody alive was born before it, and it rules out a year 0.
    private static let earliestBirth = "1880-01-01"

    /// The characters with a special meaning in a mail's header (RFC 5322, section 3.2.3).
    private static let refusedInAddress = " <>()[]:;,\\\"".unicodeScalars

    private static func trimmed(_ text: String) -> String {
        text.trimmingCharacters(in: .whitespacesAndNewlines).precomposedStringWithCanonicalMapping
    }

    /// Whether a text has no empty part between its dots.
    private static func isDotted(_ text: Substring) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
    }

    /// Whether a scalar is visible.
    ///
    /// Joiners count as visible because some scripts need them. Other format characters do not, because they change how
    /// their neighbours are displayed.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
        case .format: scalar == "\u{200C}" || scalar == "\u{200D}"
        default: true
        }
    }
}
