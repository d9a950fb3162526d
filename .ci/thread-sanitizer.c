// Reports the waits of Swift's Mutex to ThreadSanitizer, which does not see them.
//
// A contended mutex is locked and unlocked within libSwiftSynchronization, which is not built for the sanitizer. The
// sanitizer then reports accesses that the mutex protects as races. This library intercepts the two functions, and reports
// when a thread has waited for a lock, and when a lock passes to a waiting thread. .ci/sanitize builds it and preloads it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

// The names of Synchronization._MutexHandle._lockSlow(UInt32) and ._unlockSlow() in Swift 6.3 on Linux.
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
