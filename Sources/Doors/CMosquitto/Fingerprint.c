#include "CMosquitto.h"

#include <dlfcn.h>
#include <string.h>

// The functions are those of the copy of OpenSSL that libmosquitto has loaded; their prototypes are those of OpenSSL
// 1.1.1 and 3.

static int mosquittoMatches(void *store, void *wanted) {
    const MosquittoFingerprint *fingerprint = (const MosquittoFingerprint *)wanted;
    void *certificate = fingerprint->certificate(store);
    unsigned char found[64];
    unsigned int length = 0;
    if (!certificate || !fingerprint->digest(certificate, fingerprint->sha256(), found, &length)) return 0;
    return length == sizeof(fingerprint->bytes) && memcmp(found, fingerprint->bytes, length) == 0;
}

bool mosquittoTrust(struct mosquitto *client, MosquittoFingerprint *fingerprint) {
    void *library = dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library) library = dlopen("libssl.so.1.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
    const void *(*method)(void) = (const void *(*)(void))dlsym(library, "TLS_client_method");
    void *(*make)(const void *) = (void *(*)(const void *))dlsym(library, "SSL_CTX_new");
    void (*destroy)(void *) = (void (*)(void *))dlsym(library, "SSL_CTX_free");
    long (*control)(void *, int, long, void *) = (long (*)(void *, int, long, void *))dlsym(library, "SSL_CTX_ctrl");
    void (*verify)(void *, int, void *) = (void (*)(void *, int, void *))dlsym(library, "SSL_CTX_set_verify");
    void (*check)(void *, int (*)(void *, void *), void *) =
        (void (*)(void *, int (*)(void *, void *), void *))dlsym(library, "SSL_CTX_set_cert_verify_callback");
    // These are functions of libcrypto, which libssl needs; dlsym looks there, too.
    fingerprint->certificate = (void *(*)(void *))dlsym(library, "X509_STORE_CTX_get0_cert");
    fingerprint->digest =
        (int (*)(const void *, const void *, unsigned char *, unsigned int *))dlsym(library, "X509_digest");
    fingerprint->sha256 = (const void *(*)(void))dlsym(library, "EVP_sha256");
    if (!method || !make || !destroy || !control || !verify || !check || !fingerprint->certificate
        || !fingerprint->digest || !fingerprint->sha256) return false;
    void *context = make(method());
    if (!context) return false;
    // SSL_CTRL_SET_MIN_PROTO_VERSION and TLS1_2_VERSION; then SSL_VERIFY_PEER.
    bool isSet = control(context, 123, 0x0303, NULL) == 1;
    verify(context, 1, NULL);
    check(context, mosquittoMatches, fingerprint);
    isSet = isSet && mosquitto_int_option(client, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0) == MOSQ_ERR_SUCCESS;
    isSet = isSet && mosquitto_void_option(client, MOSQ_OPT_SSL_CTX, context) == MOSQ_ERR_SUCCESS;
    destroy(context);  // The client has its own reference.
    return isSet;
}
