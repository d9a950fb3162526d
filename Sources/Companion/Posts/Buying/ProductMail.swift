import Money
import People
import Service

extension Product {
    /// Returns a mail about the product, for a person who has requested it.
    ///
    /// - Parameter server: The address of the browser's door, such as `http://van.local:8470`.
    func mail(to person: Person, from server: String) -> Mail {
        var lines = [
            "You asked Waymark to mail you this product:", "", fields.name, "by \(fields.brand)",
            fields.price.description,
        ]
        if let link = fields.link { lines.append(link) }
        lines += ["", "See it in Waymark: \(server)/products/\(subject.id)"]
        return Mail(
            to: person.email, name: person.name, subject: "\(fields.name), \(fields.price)",
            body: lines.joined(separator: "\n") + "\n")
    }
}
