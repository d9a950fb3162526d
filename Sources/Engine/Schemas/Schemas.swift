public import Store

/// The tables of features that a build may leave out.
///
/// Each build makes all tables, whatever features it has. So every build opens every store of its version, and what one
/// of them has not touched is there for the next.
public enum Schemas {
    /// The steps that make the tables.
    public static let migrations: [StoreMigration] =
        OpinionSchema.migrations + MediaSchema.migrations + PlanSchema.migrations + VoteSchema.migrations
        + [PostSchema.migration] + ReportSchema.migrations + UplinkSchema.migrations + EventHookSchema.migrations
        + NotificationSchema.migrations + WebPushSchema.migrations
}
