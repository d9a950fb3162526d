#include <zlib.h>

// The two that begin are macros, which Swift does not see. 16 beside the window says that the form is gzip, 32 that it
// is looked at.
static inline int zlibBeginGzip(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}
static inline int zlibBeginReading(z_stream *stream) { return inflateInit2(stream, 15 + 32); }
