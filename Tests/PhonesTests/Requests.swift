import Phones
import Time

/// Returns the report of a POST with a text as its body.
func report(_ body: String, query: String = "") -> PhoneReport {
    PhoneReport(reading: PhoneRequest(head: .init(query: query), body: Array(body.utf8)))
}

/// Returns the report of a GET with a query.
func report(query: String) -> PhoneReport { report("", query: query) }

/// Returns a moment in milliseconds from its text.
func moment(_ text: String) -> Timestamp? { Timestamp(rfc3339: text) }

extension PhoneReport {
    /// The only fix; `nil` if there is none or more than one.
    var onlyFix: PhoneFix? { fixes.count == 1 && ignored.isEmpty ? fixes[0] : nil }

    /// The only reason for which something was ignored; `nil` if there is none or more than one.
    var onlyReason: IgnoredReason? {
        fixes.isEmpty && ignored.values.reduce(0, +) == 1 ? ignored.keys.first : nil
    }
}

/// The texts of a secret.
enum Sample {
    static let secret = "00112233445566778899aabbccddeeff"
    static let other = "ffffffffffffffffffffffffffffffff"
    /// `rosa:` and the secret in Base64.
    static let basic = "cm9zYTowMDExMjIzMzQ0NTU2Njc3ODg5OWFhYmJjY2RkZWVmZg=="
}
