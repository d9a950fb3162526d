#include "CMosquitto.h"

#include <dlfcn.h>
#include <stddef.h>

// The functions of the library: each with its result, its parameters, its arguments, and what it returns without the
// library.
typedef struct mosquitto Client;
typedef const mosquitto_property Properties;
typedef mosquitto_property PropertyList;
#define FUNCTIONS(F)                                                                                                  \
    F(Client *, mosquitto_new, (const char *id, bool clean, void *data), (id, clean, data), NULL)                     \
    F(void, mosquitto_destroy, (Client *client), (client), )                                                          \
    F(int, mosquitto_int_option, (Client *client, enum mosq_opt_t option, int value), (client, option, value), NONE)  \
    F(int, mosquitto_void_option, (Client *client, enum mosq_opt_t option, void *value), (client, option, value),     \
      NONE)                                                                                                           \
    F(int, mosquitto_will_set,                                                                                        \
      (Client *client, const char *topic, int size, const void *payload, int qos, bool retain),                       \
      (client, topic, size, payload, qos, retain), NONE)                                                              \
    F(int, mosquitto_username_pw_set, (Client *client, const char *user, const char *password),                       \
      (client, user, password), NONE)                                                                                 \
    F(int, mosquitto_tls_set,                                                                                         \
      (Client *client, const char *authorities, const char *folder, const char *certificate, const char *key,         \
       int (*password)(char *, int, int, void *)),                                                                    \
      (client, authorities, folder, certificate, key, password), NONE)                                                \
    F(int, mosquitto_tls_opts_set, (Client *client, int verify, const char *version, const char *ciphers),            \
      (client, verify, version, ciphers), NONE)                                                                       \
    F(int, mosquitto_connect_bind_v5,                                                                                 \
      (Client *client, const char *host, int port, int keepAlive, const char *address, Properties *properties),       \
      (client, host, port, keepAlive, address, properties), NONE)                                                     \
    F(int, mosquitto_disconnect, (Client *client), (client), NONE)                                                    \
    F(int, mosquitto_threaded_set, (Client *client, bool threaded), (client, threaded), NONE)                         \
    F(int, mosquitto_socket, (Client *client), (client), -1)                                                          \
    F(bool, mosquitto_want_write, (Client *client), (client), false)                                                  \
    F(int, mosquitto_loop_read, (Client *client, int packets), (client, packets), NONE)                               \
    F(int, mosquitto_loop_write, (Client *client, int packets), (client, packets), NONE)                              \
    F(int, mosquitto_loop_misc, (Client *client), (client), NONE)                                                     \
    F(int, mosquitto_publish,                                                                                         \
      (Client *client, int *number, const char *topic, int size, const void *payload, int qos, bool retain),          \
      (client, number, topic, size, payload, qos, retain), NONE)                                                      \
    F(int, mosquitto_subscribe, (Client *client, int *number, const char *topic, int qos),                            \
      (client, number, topic, qos), NONE)                                                                             \
    F(int, mosquitto_unsubscribe, (Client *client, int *number, const char *topic), (client, number, topic), NONE)    \
    F(const char *, mosquitto_strerror, (int code), (code), NULL)                                                     \
    F(Properties *, mosquitto_property_read_int16,                                                                    \
      (Properties *properties, int identifier, uint16_t *value, bool skip), (properties, identifier, value, skip),    \
      NULL)                                                                                                           \
    F(int, mosquitto_property_add_int32, (PropertyList **properties, int identifier, uint32_t value),                 \
      (properties, identifier, value), NONE)                                                                          \
    F(void, mosquitto_property_free_all, (PropertyList **properties), (properties), )                                 \
    F(void, mosquitto_connect_v5_callback_set,                                                                        \
      (Client *client, void (*tell)(Client *, void *, int, int, Properties *)), (client, tell), )                     \
    F(void, mosquitto_disconnect_v5_callback_set, (Client *client, void (*tell)(Client *, void *, int, Properties *)), \
      (client, tell), )                                                                                               \
    F(void, mosquitto_publish_v5_callback_set,                                                                        \
      (Client *client, void (*tell)(Client *, void *, int, int, Properties *)), (client, tell), )                     \
    F(void, mosquitto_message_callback_set,                                                                           \
      (Client *client, void (*tell)(Client *, void *, const struct mosquitto_message *)), (client, tell), )           \
    F(void, mosquitto_log_callback_set, (Client *client, void (*tell)(Client *, void *, int, const char *)),          \
      (client, tell), )
#define NONE MOSQ_ERR_NOT_SUPPORTED

// The addresses of the library's functions; NULL without it.
static struct {
#define ADDRESS(result, name, parameters, arguments, missing) __typeof__(&name) name;
    FUNCTIONS(ADDRESS)
} library;

#define CALL(result, name, parameters, arguments, missing)                                                            \
    result name parameters {                                                                                          \
        if (!library.name) return missing;                                                                            \
        return library.name arguments;                                                                                \
    }
FUNCTIONS(CALL)

bool mosquittoLoad(void) {
    void *handle = dlopen("libmosquitto.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return false;
    __typeof__(library) found;
    int (*start)(void) = (int (*)(void))dlsym(handle, "mosquitto_lib_init");
#define FIND(result, name, parameters, arguments, missing)                                                            \
    if (!(found.name = (__typeof__(&name))dlsym(handle, #name))) return false;
    FUNCTIONS(FIND)
    if (!start || start() != MOSQ_ERR_SUCCESS) return false;
    library = found;
    return true;
}
