import GRDB
package import Positioning
package import Service

/// Something that one person suggests to another.
package struct Suggestion: Hashable, Sendable {
    /// Its number in the table `suggestion`, which is its id as text.
    package var number: Int64
    /// The number of who suggests it.
    var sender: Int64
    /// The number of whom it is suggested to.
    var recipient: Int64
    /// What is suggested.
    package var subject: SubjectID
    /// What the sender says of it; nil where nothing.
    package var text: String?
    /// When it was sent.
    package var time: Timestamp
    /// When the recipient was told that they had come near it; nil before.
    package var near: Timestamp?

    /// The longest text, in bytes: it is read in passing.
    static let longestText = 1000

    /// Its id.
    package var id: String { String(number) }

    static let columns = """
        suggestion.number, suggestion.sender, suggestion.recipient, subject.id AS subject, suggestion.text,
        suggestion.time, suggestion.near
        """
    static let tables = "suggestion JOIN subject ON subject.number = suggestion.subject"

    /// A row of the columns.
    init(_ row: NamedRow) throws {
        guard let subject = SubjectID(row["subject"]) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a suggestion of nothing")
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
