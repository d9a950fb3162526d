import Callers
import RPC
public import Service

/// The feature of devices: who sees them, what reports for them, groups of them, and links to follow one.
public enum DevicesFeature {
    /// The methods and migrations of the feature.
    public static let feature: Feature = {
        var feature = Feature { context, _ in
            #if Companion
            // Phones report by HTTP, groups have people, and browsers open the links.
            let companion =
                ReportingMethods(context).all + GroupMethods(context).all + FollowMethods(context).all
            #else
            let companion: [Method<Principal>] = []
            #endif
            return DeviceMethods(context).all + companion
        }
        feature.migrations = [FollowLink.migration]
        return feature
    }()
}
