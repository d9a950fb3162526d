public import RPC
public import SocketServer
public import Store

/// The methods about devices, sights and trips, and why events came.
public enum CoreMethods {
    /// All of them, over a store and what is live.
    ///
    /// To be made once for a store: changes of sights wait for each other within it.
    public static func all(store: LocationDatabase, present: any Present) -> [Method<Connection>] {
        DeviceMethods(store: store, present: present).all
            + SightMethods(store: store, present: present).all
            + TripMethods(store: store, present: present).all
            + ExplainMethods(store: store, present: present).all
    }
}
