#include <stdbool.h>
#include <stdint.h>
#include <sys/eventfd.h>

// What Waymark uses of libmosquitto.so.1, as the headers mosquitto.h and mqtt_protocol.h of version 2 declare it.
//
// The library is loaded when it is first needed. So a build needs neither its headers nor the library, and a daemon
// without a broker does not load it, nor OpenSSL, which it needs.

// Nothing here is visible outside of the program: the library calls some of these functions itself, and must find its
// own.
#pragma GCC visibility push(hidden)

// Loads the library and initialises it; returns whether that worked. It is called once, before all other functions.
// Without the library they fail.
bool mosquittoLoad(void);

enum mosq_err_t {
    MOSQ_ERR_CONN_PENDING = -1,
    MOSQ_ERR_SUCCESS = 0,
    MOSQ_ERR_PROTOCOL = 2,
    MOSQ_ERR_INVAL = 3,
    MOSQ_ERR_CONN_LOST = 7,
    MOSQ_ERR_TLS = 8,
    MOSQ_ERR_PAYLOAD_SIZE = 9,
    MOSQ_ERR_NOT_SUPPORTED = 10,
    MOSQ_ERR_ERRNO = 14,
    MOSQ_ERR_EAI = 15,
    MOSQ_ERR_MALFORMED_UTF8 = 18,
    MOSQ_ERR_KEEPALIVE = 19,
    MOSQ_ERR_LOOKUP = 20,
    MOSQ_ERR_MALFORMED_PACKET = 21,
    MOSQ_ERR_TLS_HANDSHAKE = 23,
    MOSQ_ERR_QOS_NOT_SUPPORTED = 24,
    MOSQ_ERR_OVERSIZE_PACKET = 25,
};

enum mosq_opt_t {
    MOSQ_OPT_PROTOCOL_VERSION = 1,
    MOSQ_OPT_SSL_CTX = 2,
    MOSQ_OPT_SSL_CTX_WITH_DEFAULTS = 3,
    MOSQ_OPT_TCP_NODELAY = 11,
};

enum mqtt5_return_code {
    MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION = 132,
    MQTT_RC_CLIENTID_NOT_VALID = 133,
    MQTT_RC_BAD_USERNAME_OR_PASSWORD = 134,
    MQTT_RC_NOT_AUTHORIZED = 135,
    MQTT_RC_SESSION_TAKEN_OVER = 142,
};

enum mqtt5_property {
    MQTT_PROP_SESSION_EXPIRY_INTERVAL = 17,
    MQTT_PROP_SERVER_KEEP_ALIVE = 19,
    MQTT_PROP_RECEIVE_MAXIMUM = 33,
};

#define MOSQ_LOG_WARNING (1 << 2)
#define MOSQ_LOG_ERR (1 << 3)

struct mosquitto_message {
    int mid;
    char *topic;
    void *payload;
    int payloadlen;
    int qos;
    bool retain;
};

struct mosquitto;
typedef struct mqtt5__property mosquitto_property;

struct mosquitto *mosquitto_new(const char *id, bool clean, void *data);
void mosquitto_destroy(struct mosquitto *client);
int mosquitto_int_option(struct mosquitto *client, enum mosq_opt_t option, int value);
int mosquitto_void_option(struct mosquitto *client, enum mosq_opt_t option, void *value);
int mosquitto_will_set(struct mosquitto *client, const char *topic, int size, const void *payload, int qos,
                       bool retain);
int mosquitto_username_pw_set(struct mosquitto *client, const char *user, const char *password);
int mosquitto_tls_set(struct mosquitto *client, const char *authorities, const char *folder, const char *certificate,
                      const char *key, int (*password)(char *buffer, int size, int isWriting, void *data));
int mosquitto_tls_opts_set(struct mosquitto *client, int verify, const char *version, const char *ciphers);
int mosquitto_connect_bind_v5(struct mosquitto *client, const char *host, int port, int keepAlive, const char *address,
                              const mosquitto_property *properties);
int mosquitto_disconnect(struct mosquitto *client);
int mosquitto_threaded_set(struct mosquitto *client, bool threaded);
int mosquitto_socket(struct mosquitto *client);
bool mosquitto_want_write(struct mosquitto *client);
int mosquitto_loop_read(struct mosquitto *client, int packets);
int mosquitto_loop_write(struct mosquitto *client, int packets);
int mosquitto_loop_misc(struct mosquitto *client);
int mosquitto_publish(struct mosquitto *client, int *number, const char *topic, int size, const void *payload, int qos,
                      bool retain);
int mosquitto_subscribe(struct mosquitto *client, int *number, const char *topic, int qos);
int mosquitto_unsubscribe(struct mosquitto *client, int *number, const char *topic);
const char *mosquitto_strerror(int code);
const mosquitto_property *mosquitto_property_read_int16(const mosquitto_property *properties, int identifier,
                                                        uint16_t *value, bool skip);
int mosquitto_property_add_int32(mosquitto_property **properties, int identifier, uint32_t value);
void mosquitto_property_free_all(mosquitto_property **properties);
void mosquitto_connect_v5_callback_set(struct mosquitto *client, void (*tell)(struct mosquitto *client, void *data,
                                       int code, int flags, const mosquitto_property *properties));
void mosquitto_disconnect_v5_callback_set(struct mosquitto *client, void (*tell)(struct mosquitto *client, void *data,
                                          int code, const mosquitto_property *properties));
void mosquitto_publish_v5_callback_set(struct mosquitto *client, void (*tell)(struct mosquitto *client, void *data,
                                       int number, int reason, const mosquitto_property *properties));
void mosquitto_message_callback_set(struct mosquitto *client, void (*tell)(struct mosquitto *client, void *data,
                                    const struct mosquitto_message *message));
void mosquitto_log_callback_set(struct mosquitto *client, void (*tell)(struct mosquitto *client, void *data, int level,
                                const char *text));

// libmosquitto verifies a broker's certificate by authorities only. For a broker that is known by its certificate's
// fingerprint, it takes a context of OpenSSL with a check of one's own.

// The fingerprint that a certificate must have: SHA-256 of its DER form; and the functions of OpenSSL that compute it.
typedef struct {
    uint8_t bytes[32];
    void *(*certificate)(void *store);
    int (*digest)(const void *certificate, const void *type, unsigned char *result, unsigned int *length);
    const void *(*sha256)(void);
} MosquittoFingerprint;

// Lets a client connect over TLS 1.2 or later only to the broker with this fingerprint, whose `bytes` are set and which
// must outlive the client. Returns whether OpenSSL was found and took it.
bool mosquittoTrust(struct mosquitto *client, MosquittoFingerprint *fingerprint);

#pragma GCC visibility pop
