#if Companion
import ArgumentParser

/// The groups of the companion's methods.
extension Nouns {
    enum People: Noun {
        static let name = "people"
        static let abstract = "Accounts: sign up and in, edit your profile, and follow people."
        static let examples = [
            "waymark people search bob",
            "waymark people follow bob",
            "waymark people invite --device van --uses 3",
        ]
        // A person who signs up or in has no session yet.
        static let writes = true
    }
    enum Friends: Noun {
        static let name = "friends"
        static let abstract = "Friends and friend requests."
        static let examples = [
            "waymark friends request dan",
            "waymark friends list",
        ]
    }
    enum Groups: Noun {
        static let name = "groups"
        static let abstract = "Groups of devices: which people see which devices."
        static let examples = [
            "waymark groups list"
        ]
    }
    enum Follow: Noun {
        static let name = "follow"
        static let abstract = "Links that show others where a device is, until they end."
        static let examples = [
            "waymark follow create --device van",
            "waymark follow list",
        ]
        // The daemon counts how often a link is opened.
        static let writes = true
    }
    enum Reviews: Noun {
        static let name = "reviews"
        static let abstract = "Reviews: rate a subject, and agree with or flag what others write."
        static let examples = [
            #"waymark reviews put sight/westerkerk 5 "Climb the tower.""#,
            "waymark reviews list sight/westerkerk --order agreed",
        ]
    }
    enum Reactions: Noun {
        static let name = "reactions"
        static let abstract = "Reactions: heart, like or save a subject."
        static let examples = [
            "waymark reactions set sight/westerkerk heart true",
            "waymark reactions list sight/westerkerk heart",
        ]
    }
    enum Suggestions: Noun {
        static let name = "suggestions"
        static let abstract = "Suggest a subject to a person."
        static let examples = [
            #"waymark suggestions send sight/westerkerk bob "Climb the tower!" --yes"#,
            "waymark suggestions list",
        ]
    }
    enum Votes: Noun {
        static let name = "votes"
        static let abstract = "Votes: open one where you are, find one, vote, and see the result."
        static let examples = [
            #"waymark votes open "Where do we eat?" 3 10m - Pizza Soup Salad"#,
            "waymark votes here",
            "waymark votes list attended --text eat",
        ]
    }
    enum Posts: Noun {
        static let name = "posts"
        static let abstract = "Posts: show what you wear or what can be bought, and see what others show."
        static let examples = [
            "waymark post list --here",
            "waymark post get 1",
        ]
        static let covered = [
            "add": "add", "addProduct": "add", "feed": "list", "list": "list", "here": "list", "remove": "remove",
        ]
        static var written: (any ParsableCommand.Type)? { PostCommand.self }
    }
    enum Products: Noun {
        static let name = "products"
        static let abstract = "Products in posts: prices, shops, and mails of them to yourself."
        static let examples = [
            "waymark products get 1",
            "waymark products mail 1 --yes",
        ]
    }
    enum Shopping: Noun {
        static let name = "shopping"
        static let abstract = "Your shopping list."
        static let examples = [
            "waymark shopping add 1",
            "waymark shopping list",
        ]
    }
    enum Photos: Noun {
        static let name = "photos"
        static let abstract = "Photos of sights and other subjects."
        static let examples = [
            "waymark photo add view.jpg --subject sight/good-parking",
            #"waymark photo update 1 --cover true --caption "The view""#,
        ]
        static let covered = ["add": "add", "list": "list", "read": "save", "remove": "remove"]
        static var written: (any ParsableCommand.Type)? { PhotoCommand.self }
    }
    enum History: Noun {
        static let name = "history"
        static let abstract = "The past: what a day or a year was like, and when a device was at a place."
        static let examples = [
            "waymark history day 2026-05-02",
            "waymark history near 52.3745 4.8835 --radius 3000",
            "waymark history year 2026",
        ]
    }
    enum Logbook: Noun {
        static let name = "logbook"
        static let abstract = "The driver's logbook: what trips were for, and who drove."
        static let examples = [
            "waymark logbook list --from 30d",
            "waymark logbook set last --purpose commute",
            "waymark logbook set-place westerkerk business",
            "waymark logbook apply --from 2026-05-01T00:00:00Z",
        ]
        static let covered = ["list": "list", "set": "set"]
        static var written: (any ParsableCommand.Type)? { LogbookCommand.self }
    }
    enum Plans: Noun {
        static let name = "plans"
        static let abstract = "Plans: future journeys, with days, places, people and money."
        static let examples = [
            "waymark plan list",
            #"waymark plan journey "Canals by van""#,
            #"waymark plan copy "Canals by van" --title "Canals again" --start 2027-05-07"#,
        ]
        static let covered = [
            "list": "list", "explore": "list", "get": "show", "itinerary": "show", "create": "create",
            "remove": "remove", "calendar": "export", "gpx": "export", "copy": "copy",
        ]
        static var written: (any ParsableCommand.Type)? { PlanCommand.self }
    }
    enum Locations: Noun {
        static let name = "locations"
        static let abstract = "The locations of plans."
        static let examples = [
            #"waymark locations list "Canals by van""#,
            #"waymark locations list "Canals by van" --text kerk"#,
        ]
    }
    enum Activities: Noun {
        static let name = "activities"
        static let abstract = "The activities of plans."
        static let examples = [
            #"waymark activities list "Canals by van" --tab food"#
        ]
    }
    enum Checklists: Noun {
        static let name = "checklists"
        static let abstract = "The lists of plans: what to pack and to do."
        static let examples = [
            #"waymark checklists list "Canals by van""#,
            #"waymark checklists add "Canals by van" "To pack""#,
        ]
    }
    enum Tasks: Noun {
        static let name = "tasks"
        static let abstract = "The entries of the lists of plans: add, tick, order and remove them."
        static let examples = [
            "waymark tasks add 7k2mq4wz9bcd Raincoats --day 2026-05-31",
            "waymark tasks update 9bcd7k2mq4wz --done true",
        ]
    }
    enum Members: Noun {
        static let name = "members"
        static let abstract = "The members of plans."
        static let examples = [
            #"waymark members list "Canals by van""#,
            #"waymark members change "Canals by van" bob --edits true"#,
        ]
    }
    enum Expenses: Noun {
        static let name = "expenses"
        static let abstract = "The expenses of plans, with sums and balances."
        static let examples = [
            #"waymark expenses sums "Canals by van""#,
            #"waymark expenses balances "Canals by van""#,
        ]
    }
    enum Repayments: Noun {
        static let name = "repayments"
        static let abstract = "Repayments between the members of a plan."
        static let examples = [
            #"waymark repayments add "Canals by van" ada bob 12.50 --note "in cash""#,
            #"waymark repayments list "Canals by van""#,
        ]
    }
    enum Links: Noun {
        static let name = "links"
        static let abstract = "Links that show a plan without signing in."
        static let examples = [
            #"waymark links create "Canals by van" --days 7"#,
            #"waymark links list "Canals by van""#,
        ]
        // The daemon counts how often a link is opened.
        static let writes = true
    }
    enum Notifications: Noun {
        static let name = "notifications"
        static let abstract = "Your notification centre."
        static let examples = [
            "waymark notifications list --state new",
            "waymark notifications set-rules --quiet 22:00-07:00 --cool-down 3600",
        ]
        static let marked: Set = ["text"]
    }
    enum Push: Noun {
        static let name = "push"
        static let abstract = "The browsers in which you are notified, also while the page is closed."
        static let examples = ["waymark push list", "waymark push test 3", "waymark push remove 3"]
    }
    enum Subjects: Noun {
        static let name = "subjects"
        static let abstract = "Subjects: what people react to, of any kind."
        static let examples = [
            "waymark subjects share sight/westerkerk",
            "waymark subjects flagged",
        ]
    }
    enum Mail: Noun {
        static let name = "mail"
        static let abstract = "Mail that waits to be sent."
        static let examples = [
            "waymark mail list --state waiting"
        ]
    }
    enum UplinkNoun: Noun {
        static let name = "uplink"
        static let abstract = "The way of this machine's events to its centre, and of boards' events to this machine."
        static let examples = [
            "waymark uplink status",
            "waymark uplink verify",
            "waymark uplink board van",
        ]
    }

    static let all: [any Noun.Type] = [
        People.self, Friends.self, Devices.self, Groups.self, Follow.self, Anchors.self, Sights.self, Reviews.self,
        Reactions.self,
        Suggestions.self, Photos.self, Trips.self, History.self, Logbook.self, Plans.self, Locations.self,
        Activities.self, Checklists.self, Tasks.self, Members.self, Expenses.self, Repayments.self, Links.self,
        Places.self, Votes.self, Posts.self,
        Products.self, Shopping.self, Notifications.self, Push.self, Subjects.self, Mail.self, UplinkNoun.self,
    ]
}
#endif
