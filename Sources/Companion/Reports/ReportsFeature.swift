import Schemas
public import Service
import Store

/// The feature of reports: the sums of trips, the history of days, and the driver's logbook.
public enum ReportsFeature {
    /// The methods, the migrations and the log consumers of the feature.
    public static let feature: Feature = {
        var feature = Feature { context, _ in
            ReportMethods(context).all + HistoryMethods(context).all + HeatMethods(context).all
                + YearMethods(context).all + LogbookMethods(context).all
        }
        feature.migrations = ReportSchema.migrations
        feature.consumers = { _ in [LogbookConsumer(), SpeedingConsumer()] }
        feature.timers = { _ in [HeatBackfill()] }
        return feature
    }()
}
