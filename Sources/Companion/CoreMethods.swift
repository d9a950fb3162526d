public import EventStream
public import RPC

/// The methods of the companion, one folder a subject.
public enum CoreMethods {
    /// All of them.
    public static func all(_ context: CompanionContext) -> [Method<Principal>] {
        let (store, present) = (context.store, context.present)
        let others =
            PeopleMethods(context).all + MailMethods(context).all
            + DeviceMethods(context).all
            + SightMethods(context).all
            + VisitMethods(context).all
            + RankingMethods(context).all
            + TripMethods(context).all
            + ExplainMethods(store: store, present: present).all
            + ReviewMethods(context).all + ReactionMethods(context).all
            + SuggestionMethods(context).all + SubjectMethods(context).all
            + UploadMethods(context).all + PhotoMethods(context).all
        // Last, for buttons call any of the others.
        return others + NotificationMethods(context, others: others).all
    }

    /// Those who follow the event log.
    static func followers(_ context: CompanionContext) -> [any LogFollower] {
        [NearNotifications(subjects: context.subjects), VisitFollower()]
    }
}
