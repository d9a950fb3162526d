#define _GNU_SOURCE
#include "CProgram.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>
#include <unistd.h>

// Where the executable begins and its code ends in memory, by its linker.
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

static const struct {
    int number;
    const char *name;
} fatal[] = {{SIGILL, "SIGILL"}, {SIGTRAP, "SIGTRAP"}, {SIGSEGV, "SIGSEGV"},
             {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"},   {SIGABRT, "SIGABRT"}};

// What every call leaves on the stack where functions keep the frame pointer: the caller's, and the address to which
// the call returns (System V ABI for x86-64, 3.2.2; AAPCS64, 6.4.6).
struct frame {
    uintptr_t caller;
    uintptr_t returnAddress;
};

enum {
    most = 40,
    kinds = sizeof fatal / sizeof fatal[0],
    // The bytes to which both ABIs align the stack, and with it the frames.
    alignment = 16,
    // The most bytes of a stack, by default.
    deepest = 1 << 23,
};

static void append(char *line, size_t *length, const char *text) {
    size_t count = strlen(text);
    memcpy(line + *length, text, count);
    *length += count;
}

static void appendAddress(char *line, size_t *length, uintptr_t address) {
    char digits[2 * sizeof address + 1];
    char *first = digits + sizeof digits;
    *--first = 0;
    do {
        *--first = "0123456789abcdef"[address & 15];
        address >>= 4;
    } while (address != 0);
    append(line, length, " ");
    append(line, length, first);
}

static int isCode(uintptr_t address) { return address >= (uintptr_t)__ehdr_start && address < (uintptr_t)etext; }

// An address above the stack of the first thread: the kernel keeps random bytes there (getauxval(3)).
static uintptr_t endOfFirstStack;

// Returns where the stack of this thread ends if it contains an address, and otherwise the address. The C library keeps
// what it knows of any other thread above its stack.
static uintptr_t endOfStack(uintptr_t address) {
    uintptr_t thread = (uintptr_t)pthread_self();
    if (thread > address && thread - address < deepest) return thread;
    return endOfFirstStack > address && endOfFirstStack - address < deepest ? endOfFirstStack : address;
}

// Reads the first frame of a call from the executable, from an aligned address on, and returns 0 if there is none. C
// libraries keep no frame pointers, and can leave frames of earlier calls in their own, so one of these can be found.
// The attribute is needed because sanitizers refuse to read the stack of other functions.
__attribute__((no_sanitize("address", "thread")))
static int findFrame(uintptr_t from, uintptr_t end, struct frame *frame) {
    for (uintptr_t address = from; address + sizeof *frame <= end; address += alignment) {
        *frame = *(const struct frame *)address;
        if (isCode(frame->returnAddress) && frame->caller % alignment == 0 && frame->caller > address
            && frame->caller < end) return 1;
    }
    return 0;
}

// Calls only what signal-safety(7) allows. It needs no tables of the frames, which the package leaves out, and takes no
// lock, as backtrace(3) does.
static void tell(int number, siginfo_t *info, void *context) {
    (void)info;
    const mcontext_t *machine = &((const ucontext_t *)context)->uc_mcontext;
#if defined(__x86_64__)
    uintptr_t at = (uintptr_t)machine->gregs[REG_RIP], stack = (uintptr_t)machine->gregs[REG_RSP],
              frame = (uintptr_t)machine->gregs[REG_RBP];
#elif defined(__aarch64__)
    uintptr_t at = machine->pc, stack = machine->sp, frame = machine->regs[29];
#else
#error "Where does this processor keep its frame pointer?"
#endif
    // Room for the words, and for an address of 16 digits and a space a frame.
    char line[128 + 17 * most];
    size_t length = 0;
    append(line, &length, "waymark: ended by ");
    for (int kind = 0; kind < kinds; kind++) {
        if (fatal[kind].number == number) append(line, &length, fatal[kind].name);
    }
    append(line, &length, "; addr2line -Cfipe /usr/bin/waymark");
    int count = 0;
    if (isCode(at)) {
        appendAddress(line, &length, at - (uintptr_t)__ehdr_start);
        count++;
    }
    uintptr_t next = (stack + alignment - 1) / alignment * alignment, end = endOfStack(next);
    // In a function of a C library, the frame pointer is a register like any other.
    if (isCode(at) && frame % alignment == 0 && frame >= next && frame < end) next = frame;
    struct frame call;
    while (count < most && findFrame(next, end, &call)) {
        // The byte before belongs to the call; the address itself can belong to the next line, or the next function.
        appendAddress(line, &length, call.returnAddress - 1 - (uintptr_t)__ehdr_start);
        count++;
        next = call.caller;
    }
    append(line, &length, "\n");
    ssize_t written = write(STDERR_FILENO, line, length);
    (void)written;
    // The handler is gone by now (SA_RESETHAND): the signal ends the program when this returns.
    raise(number);
}

void waymarkInstallCrashHandler(void) {
    endOfFirstStack = getauxval(AT_RANDOM);
    struct sigaction action = {.sa_sigaction = tell, .sa_flags = SA_RESETHAND | SA_ONSTACK | SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    for (int kind = 0; kind < kinds; kind++) sigaction(fatal[kind].number, &action, NULL);
}
