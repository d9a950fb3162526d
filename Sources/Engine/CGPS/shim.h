#include <gps.h>
#include <stdlib.h>
#include <string.h>

// What Waymark uses of libgps: gps_unpack, which reads one line of gpsd's JSON, and which libgps(3) offers to programs
// that manage the socket themselves. Waymark does, because libgps's own functions for it cannot be made safe from
// outside: gps_open blocks until the system gives up and cannot be called off, gps_waiting is true for ever while half
// a line is buffered, a line longer than its buffer ends the session, and what it writes to a dead socket raises
// SIGPIPE.
//
// gps_data_t has 24 KB in API 11, and another layout in each API version. It is touched in this file alone; Swift sees the
// flat report below. What is used of it has the same names in API 11 (gpsd 3.22), 14 (3.25) and 16 (3.27). What has not
// is left alone: the constants of `status` (STATUS_FIX is STATUS_GPS by API 14), `gst` and `attitude` (in the union in
// API 11, beside it later), `privdata`. altMSL and altHAE came with API 9 (3.20); `altitude` is an older gpsd's `alt`.
#if GPSD_API_MAJOR_VERSION < 9
#error "libgps is too old: version 3.20 or later is needed"
#endif

// Which of the reports that Waymark reads a line was.
typedef enum {
    GPSUnpackedNone,
    GPSUnpackedVersion,
    GPSUnpackedDevice,
    GPSUnpackedPosition,
    GPSUnpackedSky,
    GPSUnpackedError,
} GPSUnpackedKind;

// What a line said, unchecked. Numbers that it did not give are NaN, a time 0/0, counts 0, texts empty.
typedef struct {
    GPSUnpackedKind kind;
    const char *device;
    // Of a position or a sky.
    long long seconds;
    long nanoseconds;
    // Of a position: degrees, metres and metres per second.
    int mode;
    double latitude, longitude;
    double heightAboveSea, heightAboveEllipsoid, undefinedHeight;
    double speed, track;
    double eph, epx, epy;
    // Of a sky.
    double hdop;
    int satellitesVisible, satellitesUsed;
    // Of a device: whether it has the time of its activation. True to the line even where libgps understood no more of it:
    // API 11 stumbles over "activated":0, which is how gpsd says that a receiver was unplugged.
    bool isActive;
    // Of a version.
    const char *release;
    int protocolMajor, protocolMinor;
    // Of an error.
    const char *message;
} GPSUnpacked;

// A gps_data_t of one's own.
typedef struct GPSUnpacker GPSUnpacker;

// An unpacker, to be freed with free(); NULL for lack of memory.
static inline GPSUnpacker *gpsUnpackerMake(void) {
    return (GPSUnpacker *)calloc(1, sizeof(struct gps_data_t));
}

// Reads one line, terminated and without its newline. The texts of the report are the unpacker's, and valid until its
// next line.
//
// For some lines that gpsd does not send, and for a list of more devices than libgps holds, gps_unpack loops for ever:
// where it cannot read an object, it begins again at the same place as long as another "class" follows. The caller makes
// sure that "class" comes once in the line, first, and whole.
static inline GPSUnpacked gpsUnpackerRead(GPSUnpacker *unpacker, char *line) {
    struct gps_data_t *data = (struct gps_data_t *)unpacker;
    // Nothing is left from the line before: `set` accumulates, and a report leaves alone what it does not know.
    memset(data, 0, sizeof(*data));
    gps_clear_fix(&data->fix);
    GPSUnpacked report;
    memset(&report, 0, sizeof(report));
    report.device = data->dev.path;
    report.release = "";
    report.message = "";
    // Argument: `char *` in API 11, `const char *` later.
    if (gps_unpack(line, data) != 0) {
        return report;
    }
    report.isActive = data->dev.activated.tv_sec != 0;
    if (data->set & VERSION_SET) {
        report.kind = GPSUnpackedVersion;
        report.release = data->version.release;
        report.protocolMajor = data->version.proto_major;
        report.protocolMinor = data->version.proto_minor;
    } else if (data->set & DEVICE_SET) {
        report.kind = GPSUnpackedDevice;
    } else if (data->set & ERROR_SET) {
        report.kind = GPSUnpackedError;
        report.message = data->error;
    } else if (data->set & STATUS_SET) {
        report.kind = GPSUnpackedPosition;
        report.seconds = data->fix.time.tv_sec;
        report.nanoseconds = data->fix.time.tv_nsec;
        report.mode = data->fix.mode;
        report.latitude = data->fix.latitude;
        report.longitude = data->fix.longitude;
        report.heightAboveSea = data->fix.altMSL;
        report.heightAboveEllipsoid = data->fix.altHAE;
        report.undefinedHeight = data->fix.altitude;
        report.speed = data->fix.speed;
        report.track = data->fix.track;
        report.eph = data->fix.eph;
        report.epx = data->fix.epx;
        report.epy = data->fix.epy;
    } else if (data->set & (SATELLITE_SET | DOP_SET)) {
        // From API 14 on, a sky of nothing but dilutions sets DOP_SET alone.
        report.kind = GPSUnpackedSky;
        report.seconds = data->skyview_time.tv_sec;
        report.nanoseconds = data->skyview_time.tv_nsec;
        report.hdop = data->dop.hdop;
        report.satellitesVisible = data->satellites_visible;
        report.satellitesUsed = data->satellites_used;
    }
    return report;
}
