public import Store

/// What the companion adds to the schema of the store.
public enum CompanionSchema {
    /// All steps, in their order; new ones come at the end.
    public static let migrations: [StoreMigration] =
        [
            SightStore.migration, People.migration, SightStore.ownerMigration, Subjects.migration,
            Notifications.migration,
            LogFollowing.migration, Reviews.migration, Reactions.migration, Suggestions.migration,
            SightSearch.migration, Visits.migration,
            Photos.migration, Outbox.migration, SightStore.identifierMigration,
            StateFolder.migration, PhotoCopies.migration,
            Budget.migration, Notifications.authorMigration, Outbox.namelessMigration,
        ]
}
