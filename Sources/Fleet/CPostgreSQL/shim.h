#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Debian has the header in a folder of its own.
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif

// What Waymark uses of libpq, where C is simpler to call from Swift: arrays of pointers, and macros of characters.

// Drops the server's notices, which libpq writes to standard error otherwise.
static void pgIgnoreNotice(void *context, const PGresult *notice) {
    (void)context;
    (void)notice;
}

// Connects, to one of several servers if the address names some; NULL for lack of memory.
//
// libpq gives up on a silent server, and tries the next one, only if it is called like this (section 34.1.2). It does
// so after some seconds, or after those that the address says. One that falls silent later is left after 11 s, even if
// nothing is asked of it, as by a reader that waits for events.
static inline PGconn *pgConnect(const char *address, int seconds) {
    char time[16];
    snprintf(time, sizeof(time), "%d", seconds);
    const char *keywords[] = {"connect_timeout",  "keepalives_idle", "keepalives_interval", "keepalives_count",
                              "tcp_user_timeout", "dbname",          "application_name",    "client_encoding",
                              NULL};
    const char *values[] = {time, "5", "2", "3", "10000", address, "waymark fleet", "UTF8", NULL};
    PGconn *connection = PQconnectdbParams(keywords, values, 1);
    if (connection) PQsetNoticeReceiver(connection, pgIgnoreNotice, NULL);
    return connection;
}

#define PG_MOST_PARAMETERS 16

// Sends a statement: a prepared one if it has a name. Its parameters are texts in `bytes`, each terminated, at these
// offsets; a negative offset is NULL. Returns 1 if it is on its way.
static inline int pgSend(PGconn *connection, const char *name, const char *sql, int count, const uint8_t *bytes,
                         const int64_t *offsets) {
    const char *values[PG_MOST_PARAMETERS];
    if (count < 0 || count > PG_MOST_PARAMETERS) return 0;
    for (int index = 0; index < count; index++) {
        values[index] = offsets[index] < 0 ? NULL : (const char *)bytes + offsets[index];
    }
    return name ? PQsendQueryPrepared(connection, name, count, values, NULL, NULL, 0)
                : PQsendQueryParams(connection, sql, count, NULL, values, NULL, NULL, 0);
}

// The SQLSTATE of a failure and its message in one line; empty if there is none.
static inline const char *pgState(const PGresult *result) {
    const char *text = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    return text ? text : "";
}

static inline const char *pgMessage(const PGresult *result) {
    const char *text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    return text ? text : "";
}
