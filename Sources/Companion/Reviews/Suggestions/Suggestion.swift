import GRDB
package import Service
package import Time

/// A subject that one person suggests to another.
package struct Suggestion: Hashable, Sendable {
    /// The row number in the table `suggestion`.
    ///
    /// The id is the same number as text.
    package var number: Int64
    /// The sender's row number in the table `person`.
    var sender: Int64
    /// The recipient's row number in the table `person`.
    var recipient: Int64
    /// The suggested subject.
    package var subject: SubjectID
    /// The sender's words; `nil` if there are none.
    package var text: String?
    /// The time at which it was sent.
    package var time: Timestamp
    /// The time at which the recipient was notified near the subject; `nil` if that has not happened.
    package var near: Timestamp?

    /// The longest text, in bytes.
    ///
    /// People read it in passing.
    static let longestText = 1000

    /// The suggestion's id.
    package var id: String { String(number) }

    static let columns = """
        suggestion.number, suggestion.sender, suggestion.recipient, subject.id AS subject, suggestion.text,
        suggestion.time, suggestion.near
        """
    static let tables = "suggestion JOIN subject ON subject.number = suggestion.subject"

    /// Creates a suggestion from a row that has ``columns``.
    init(_ row: NamedRow) throws {
        guard let subject = SubjectID(row["subject"]) else {
            throw row.damage("a suggestion with an invalid subject")
        }
        number = row["number"]
        sender = row["sender"]
        recipient = row["recipient"]
        self.subject = subject
        text = row["text"]
        time = Timestamp(milliseconds: row["time"])
        near = (row["near"] as Int64?).map(Timestamp.init(milliseconds:))
    }
}
