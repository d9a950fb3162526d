import GRDB
import Money
import People
import Service
import Subjects

/// The posts as subjects that people react to.
struct PostSubject: SubjectKind {
    let name = Post.kind

    func subject(_ id: String, for viewer: Viewer, among subjects: Subjects, in db: Database) throws -> Subject? {
        try self.subjects([id], for: viewer, among: subjects, in: db)[id]
    }

    func subjects(
        _ ids: [String], for viewer: Viewer, among subjects: Subjects, in db: Database
    ) throws -> [String: Subject] {
        let audience = try Audience(viewer, in: db)
        let rows = try NamedRow.soundRows(
            db.cachedStatement(
                sql: """
                    SELECT \(Post.columns), person.id AS author_id, product.name AS product_name,
                        \(Subjects.cover(of: "'post/' || post.number")) AS cover
                    FROM json_each(:numbers) AS asked CROSS JOIN post ON post.number = asked.value
                    JOIN person ON person.number = post.author
                    LEFT JOIN product ON product.number = post.product AND product.hidden = 0
                    WHERE \(Audience.seesPost())
                    """), arguments: audience.arguments + ["numbers": NumberList(ids.compactMap(Post.number)).text])
        var found: [String: Subject] = [:]
        while let row = try rows.next() {
            let post = try Post(row)
            let author: String = row["author_id"]
            let product: String? = row["product_name"]
            var subject = Subject(
                id: post.subject, title: product ?? "An outfit of \(author)", owner: author,
                information: post.fields.text, image: (row["cover"] as Int64?).map(String.init), place: post.place)
            subject.canBeFlagged = true
            subject.isSuggestedByOwner = false
            subject.logTitle = post.subject.description
            found[post.id] = subject
        }
        return found
    }
}

/// The products as subjects that people react to.
struct ProductSubject: SubjectKind {
    let name = Product.kind

    func subject(_ id: String, for viewer: Viewer, among subjects: Subjects, in db: Database) throws -> Subject? {
        try self.subjects([id], for: viewer, among: subjects, in: db)[id]
    }

    func subjects(
        _ ids: [String], for viewer: Viewer, among subjects: Subjects, in db: Database
    ) throws -> [String: Subject] {
        let audience = try Audience(viewer, in: db)
        let rows = try NamedRow.soundRows(
            db.cachedStatement(
                sql: """
                    SELECT \(Product.columns), person.id AS owner_id,
                        \(Subjects.cover(of: "'product/' || product.number")) AS cover
                    FROM json_each(:numbers) AS asked CROSS JOIN product ON product.number = asked.value
                    LEFT JOIN person ON person.number = product.owner
                    WHERE \(Audience.seesProduct)
                    """), arguments: audience.arguments + ["numbers": NumberList(ids.compactMap(Post.number)).text])
        var found: [String: Subject] = [:]
        while let row = try rows.next() {
            guard let product = try Product(row) else { continue }
            let fields = product.fields
            var subject = Subject(
                id: product.subject, title: fields.name, owner: row["owner_id"],
                information: "\(fields.brand), \(fields.price)", image: (row["cover"] as Int64?).map(String.init))
            subject.canBeFlagged = true
            subject.logTitle = product.subject.description
            found[product.id] = subject
        }
        return found
    }
}

/// A list of numbers as a JSON array, for a query.
struct NumberList: Hashable, Sendable {
    let text: String

    init(_ numbers: [Int64]) { text = "[" + numbers.map { String($0) }.joined(separator: ",") + "]" }
}
