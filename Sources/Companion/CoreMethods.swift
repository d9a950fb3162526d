public import RPC
public import SocketServer

/// The methods of the companion, one folder a subject.
public enum CoreMethods {
    /// All of them.
    public static func all(_ context: CompanionContext) -> [Method<Connection>] {
        let (store, present) = (context.store, context.present)
        return PeopleMethods(context).all
            + MailMethods(context).all
            + DeviceMethods(store: store, present: present).all
            + SightMethods(context).all
            + TripMethods(context).all
            + ExplainMethods(store: store, present: present).all
    }

    /// Those who follow the event log.
    static func followers(_ context: CompanionContext) -> [any LogFollower] { [] }
}
