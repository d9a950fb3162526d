import Accounts
import Money
import Service

extension Product {
    /// Returns a mail about the product, for a person who has requested it.
    func mail(to person: Person) -> Mail {
        var lines = [
            "You asked Waymark to mail you this product:", "", fields.name, "by \(fields.brand)",
            fields.price.description,
        ]
        if let link = fields.link { lines.append(link) }
        lines += ["", "Its address in Waymark is \(subject.destination)."]
        return Mail(
            to: person.email, name: person.name, subject: "\(fields.name), \(fields.price)",
            body: lines.joined(separator: "\n") + "\n")
    }
}
