// Tells ThreadSanitizer of the waits of Swift's Mutex, which it does not see.
//
// A mutex that is contended is locked and unlocked within libSwiftSynchronization, which is not built for the sanitizer:
// what it guards is reported as a race then. This library stands before it, and says when a lock was waited for, and when
// one is given to who waits. .ci/sanitize builds it, and has it loaded first.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

// Synchronization._MutexHandle._lockSlow(UInt32) and ._unlockSlow(), as Swift 6.3 has them on Linux.
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *handle

SWIFT void lock(uint32_t state, SELF) __asm__(LOCK);
SWIFT void unlock(SELF) __asm__(UNLOCK);

static SWIFT void (*lock_slowly)(uint32_t state, SELF);
static SWIFT void (*unlock_slowly)(SELF);
static void (*acquire)(void *);
static void (*release)(void *);

__attribute__((constructor)) static void find(void) {
    lock_slowly = dlsym(RTLD_NEXT, LOCK);
    unlock_slowly = dlsym(RTLD_NEXT, UNLOCK);
    acquire = dlsym(RTLD_DEFAULT, "__tsan_acquire");
    release = dlsym(RTLD_DEFAULT, "__tsan_release");
}

SWIFT void lock(uint32_t state, SELF) {
    lock_slowly(state, handle);
    if (acquire) acquire(handle);
}

SWIFT void unlock(SELF) {
    if (release) release(handle);
    unlock_slowly(handle);
}
