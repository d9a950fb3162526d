#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

// The headers moved with version 0.12.
#if __has_include(<rabbitmq-c/amqp.h>)
#include <rabbitmq-c/amqp.h>
#include <rabbitmq-c/tcp_socket.h>
#else
#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_tcp_socket.h>
#endif

// What Waymark uses of librabbitmq, flat: Swift cannot call a function with varying arguments such as amqp_login, and
// the methods of frames are untyped pointers. Each connection has one channel, the first.

// How a call ended.
typedef struct {
    // 0 if it succeeded, 1 if the broker refused it, and otherwise a negative AMQP_STATUS of the library.
    int status;
    // The broker's reply code, such as 404, and its words, terminated.
    int code;
    char text[240];
} RabbitReply;

// What came from the broker.
typedef enum {
    // Nothing within the time.
    RabbitNothing,
    // Messages up to a number are on the disks of a majority, or the message with this number is.
    RabbitConfirmed,
    // The broker did not take them.
    RabbitRefused,
    // A message had no queue.
    RabbitReturned,
    // A message is delivered.
    RabbitDelivered,
    // The broker has ended the consumer, because its queue is gone.
    RabbitCancelled,
    // The connection or its channel has ended.
    RabbitFailed,
} RabbitSignalKind;

typedef struct {
    RabbitSignalKind kind;
    uint64_t number;
    bool isMultiple;
    // How often the message was delivered before without an acknowledgement, as quorum queues count it.
    uint64_t earlierDeliveries;
    RabbitReply reply;
} RabbitSignal;

#define RABBIT_CHANNEL 1

static inline struct timeval rabbitTime(int milliseconds) {
    struct timeval time = {milliseconds / 1000, (milliseconds % 1000) * 1000};
    return time;
}

static inline RabbitReply rabbitLibraryReply(int status) {
    RabbitReply reply;
    memset(&reply, 0, sizeof(reply));
    reply.status = status;
    if (status != AMQP_STATUS_OK) strncpy(reply.text, amqp_error_string2(status), sizeof(reply.text) - 1);
    return reply;
}

static inline RabbitReply rabbitServerReply(int code, amqp_bytes_t text) {
    RabbitReply reply;
    memset(&reply, 0, sizeof(reply));
    reply.status = 1;
    reply.code = code;
    size_t length = text.len < sizeof(reply.text) - 1 ? text.len : sizeof(reply.text) - 1;
    if (length > 0) memcpy(reply.text, text.bytes, length);
    return reply;
}

// The reply of a method that closes a channel or a connection.
static inline RabbitReply rabbitMethodReply(amqp_method_t method) {
    if (method.id == AMQP_CONNECTION_CLOSE_METHOD && method.decoded) {
        amqp_connection_close_t *close = (amqp_connection_close_t *)method.decoded;
        return rabbitServerReply(close->reply_code, close->reply_text);
    }
    if (method.id == AMQP_CHANNEL_CLOSE_METHOD && method.decoded) {
        amqp_channel_close_t *close = (amqp_channel_close_t *)method.decoded;
        return rabbitServerReply(close->reply_code, close->reply_text);
    }
    return rabbitLibraryReply(AMQP_STATUS_UNEXPECTED_STATE);
}

static inline RabbitReply rabbitReply(amqp_rpc_reply_t reply) {
    switch (reply.reply_type) {
    case AMQP_RESPONSE_NORMAL: return rabbitLibraryReply(AMQP_STATUS_OK);
    case AMQP_RESPONSE_SERVER_EXCEPTION: return rabbitMethodReply(reply.reply);
    case AMQP_RESPONSE_LIBRARY_EXCEPTION: return rabbitLibraryReply(reply.library_error);
    default: return rabbitLibraryReply(AMQP_STATUS_UNEXPECTED_STATE);
    }
}

// Connects, signs in and opens the channel. `opening` limits each of these steps, `milliseconds` every later call that
// waits for an answer.
static inline RabbitReply rabbitOpen(amqp_connection_state_t state, const char *host, int port, const char *virtualHost,
                                     const char *user, const char *password, int heartbeat, int opening,
                                     int milliseconds) {
    struct timeval time = rabbitTime(opening);
    amqp_socket_t *socket = amqp_tcp_socket_new(state);
    if (!socket) return rabbitLibraryReply(AMQP_STATUS_NO_MEMORY);
    int status = amqp_set_handshake_timeout(state, &time);
    if (status == AMQP_STATUS_OK) status = amqp_set_rpc_timeout(state, &time);
    if (status == AMQP_STATUS_OK) status = amqp_socket_open_noblock(socket, host, port, &time);
    if (status != AMQP_STATUS_OK) return rabbitLibraryReply(status);
    RabbitReply reply = rabbitReply(amqp_login(state, virtualHost, 1, AMQP_DEFAULT_FRAME_SIZE, heartbeat,
                                               AMQP_SASL_METHOD_PLAIN, user, password));
    if (reply.status != AMQP_STATUS_OK) return reply;
    // A broker that takes nothing more, because its disk is full, would block a publisher for ever.
    unsigned int most = (unsigned int)milliseconds;
    if (setsockopt(amqp_get_sockfd(state), IPPROTO_TCP, TCP_USER_TIMEOUT, &most, sizeof(most)) != 0) {
        return rabbitLibraryReply(AMQP_STATUS_SOCKET_ERROR);
    }
    amqp_channel_open(state, RABBIT_CHANNEL);
    reply = rabbitReply(amqp_get_rpc_reply(state));
    if (reply.status != AMQP_STATUS_OK) return reply;
    time = rabbitTime(milliseconds);
    return rabbitLibraryReply(amqp_set_rpc_timeout(state, &time));
}

// Declares a quorum queue that gives its messages to one consumer at a time, if there is none of the name.
static inline RabbitReply rabbitDeclare(amqp_connection_state_t state, const char *queue) {
    amqp_table_entry_t entries[2];
    memset(entries, 0, sizeof(entries));
    entries[0].key = amqp_cstring_bytes("x-queue-type");
    entries[0].value.kind = AMQP_FIELD_KIND_UTF8;
    entries[0].value.value.bytes = amqp_cstring_bytes("quorum");
    entries[1].key = amqp_cstring_bytes("x-single-active-consumer");
    entries[1].value.kind = AMQP_FIELD_KIND_BOOLEAN;
    entries[1].value.value.boolean = 1;
    amqp_table_t arguments = {2, entries};
    amqp_queue_declare(state, RABBIT_CHANNEL, amqp_cstring_bytes(queue), 0, 1, 0, 0, arguments);
    return rabbitReply(amqp_get_rpc_reply(state));
}

// Asks for the number of messages that wait in a queue, and of its consumers.
static inline RabbitReply rabbitInspect(amqp_connection_state_t state, const char *queue, uint32_t *messages,
                                        uint32_t *consumers) {
    amqp_queue_declare_ok_t *answer =
        amqp_queue_declare(state, RABBIT_CHANNEL, amqp_cstring_bytes(queue), 1, 0, 0, 0, amqp_empty_table);
    RabbitReply reply = rabbitReply(amqp_get_rpc_reply(state));
    *messages = answer ? answer->message_count : 0;
    *consumers = answer ? answer->consumer_count : 0;
    amqp_maybe_release_buffers(state);
    return reply;
}

// From now on the broker confirms each message.
static inline RabbitReply rabbitBeginPublishing(amqp_connection_state_t state) {
    amqp_confirm_select(state, RABBIT_CHANNEL);
    return rabbitReply(amqp_get_rpc_reply(state));
}

// Publishes a persistent message to a queue, without waiting for its confirmation.
static inline RabbitReply rabbitPublish(amqp_connection_state_t state, const char *queue, const uint8_t *body,
                                        size_t length) {
    amqp_basic_properties_t properties;
    memset(&properties, 0, sizeof(properties));
    properties._flags = AMQP_BASIC_DELIVERY_MODE_FLAG;
    properties.delivery_mode = 2;
    amqp_bytes_t bytes = {length, (void *)body};
    return rabbitLibraryReply(amqp_basic_publish(state, RABBIT_CHANNEL, amqp_empty_bytes, amqp_cstring_bytes(queue), 1,
                                                 0, &properties, bytes));
}

static inline RabbitReply rabbitConsume(amqp_connection_state_t state, const char *queue, uint16_t prefetch) {
    amqp_basic_qos(state, RABBIT_CHANNEL, 0, prefetch, 0);
    RabbitReply reply = rabbitReply(amqp_get_rpc_reply(state));
    if (reply.status != AMQP_STATUS_OK) return reply;
    amqp_basic_consume(state, RABBIT_CHANNEL, amqp_cstring_bytes(queue), amqp_empty_bytes, 0, 0, 0, amqp_empty_table);
    return rabbitReply(amqp_get_rpc_reply(state));
}

static inline RabbitReply rabbitAcknowledge(amqp_connection_state_t state, uint64_t number) {
    return rabbitLibraryReply(amqp_basic_ack(state, RABBIT_CHANNEL, number, 1));
}

// What a frame means that is no delivery.
static inline RabbitSignal rabbitSignal(amqp_connection_state_t state, amqp_frame_t frame) {
    RabbitSignal signal;
    memset(&signal, 0, sizeof(signal));
    signal.kind = RabbitNothing;
    if (frame.frame_type != AMQP_FRAME_METHOD) return signal;
    switch (frame.payload.method.id) {
    case AMQP_BASIC_ACK_METHOD: {
        amqp_basic_ack_t *ack = (amqp_basic_ack_t *)frame.payload.method.decoded;
        signal.kind = RabbitConfirmed;
        signal.number = ack->delivery_tag;
        signal.isMultiple = ack->multiple;
        break;
    }
    case AMQP_BASIC_NACK_METHOD: {
        amqp_basic_nack_t *nack = (amqp_basic_nack_t *)frame.payload.method.decoded;
        signal.kind = RabbitRefused;
        signal.number = nack->delivery_tag;
        signal.isMultiple = nack->multiple;
        break;
    }
    case AMQP_BASIC_RETURN_METHOD: {
        amqp_message_t message;
        signal.kind = RabbitReturned;
        signal.reply = rabbitReply(amqp_read_message(state, frame.channel, &message, 0));
        if (signal.reply.status == AMQP_STATUS_OK) amqp_destroy_message(&message);
        break;
    }
    case AMQP_BASIC_CANCEL_METHOD: signal.kind = RabbitCancelled; break;
    case AMQP_CHANNEL_CLOSE_METHOD:
    case AMQP_CONNECTION_CLOSE_METHOD:
        signal.kind = RabbitFailed;
        signal.reply = rabbitMethodReply(frame.payload.method);
        break;
    }
    return signal;
}

static inline RabbitSignal rabbitFailure(RabbitReply reply) {
    RabbitSignal signal;
    memset(&signal, 0, sizeof(signal));
    signal.kind = reply.status == AMQP_STATUS_TIMEOUT ? RabbitNothing : RabbitFailed;
    signal.reply = reply;
    return signal;
}

// Waits for what the broker says of published messages.
static inline RabbitSignal rabbitNextSignal(amqp_connection_state_t state, int milliseconds) {
    struct timeval time = rabbitTime(milliseconds);
    amqp_frame_t frame;
    amqp_maybe_release_buffers(state);
    int status = amqp_simple_wait_frame_noblock(state, &frame, &time);
    if (status != AMQP_STATUS_OK) return rabbitFailure(rabbitLibraryReply(status));
    return rabbitSignal(state, frame);
}

// Returns how often a message was delivered before, which a quorum queue says of one that comes again.
static inline uint64_t rabbitEarlierDeliveries(const amqp_basic_properties_t *properties) {
    static const char name[] = "x-delivery-count";
    if (!(properties->_flags & AMQP_BASIC_HEADERS_FLAG)) return 0;
    for (int index = 0; index < properties->headers.num_entries; index++) {
        const amqp_table_entry_t *entry = &properties->headers.entries[index];
        if (entry->key.len != sizeof(name) - 1 || memcmp(entry->key.bytes, name, sizeof(name) - 1) != 0) continue;
        int64_t count = 0;
        switch (entry->value.kind) {
        case AMQP_FIELD_KIND_I8: count = entry->value.value.i8; break;
        case AMQP_FIELD_KIND_U8: count = entry->value.value.u8; break;
        case AMQP_FIELD_KIND_I16: count = entry->value.value.i16; break;
        case AMQP_FIELD_KIND_U16: count = entry->value.value.u16; break;
        case AMQP_FIELD_KIND_I32: count = entry->value.value.i32; break;
        case AMQP_FIELD_KIND_U32: count = entry->value.value.u32; break;
        case AMQP_FIELD_KIND_I64: count = entry->value.value.i64; break;
        default: break;
        }
        return count > 0 ? (uint64_t)count : 0;
    }
    return 0;
}

// Waits for a message. If one is delivered, the envelope holds it, and must be destroyed.
static inline RabbitSignal rabbitNextDelivery(amqp_connection_state_t state, amqp_envelope_t *envelope,
                                              int milliseconds) {
    struct timeval time = rabbitTime(milliseconds);
    amqp_maybe_release_buffers(state);
    amqp_rpc_reply_t reply = amqp_consume_message(state, envelope, &time, 0);
    if (reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION && reply.library_error == AMQP_STATUS_UNEXPECTED_STATE) {
        // It is a frame of another kind, which the library has put back.
        amqp_frame_t frame;
        struct timeval none = rabbitTime(0);
        int status = amqp_simple_wait_frame_noblock(state, &frame, &none);
        if (status != AMQP_STATUS_OK) return rabbitFailure(rabbitLibraryReply(status));
        return rabbitSignal(state, frame);
    }
    if (reply.reply_type != AMQP_RESPONSE_NORMAL) return rabbitFailure(rabbitReply(reply));
    RabbitSignal signal;
    memset(&signal, 0, sizeof(signal));
    signal.kind = RabbitDelivered;
    signal.number = envelope->delivery_tag;
    signal.earlierDeliveries = rabbitEarlierDeliveries(&envelope->message.properties);
    return signal;
}
