#include "CProgram.h"

#include <execinfo.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

// Where the executable begins and ends in memory, by its linker.
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static const struct {
    int number;
    const char *name;
} fatal[] = {{SIGILL, "SIGILL"}, {SIGTRAP, "SIGTRAP"}, {SIGSEGV, "SIGSEGV"},
             {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"},   {SIGABRT, "SIGABRT"}};

enum { frames = 40, kinds = sizeof fatal / sizeof fatal[0] };

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

// Calls only what signal-safety(7) allows, and backtrace(3), whose library is loaded by then.
static void tell(int number) {
    // Room for the words, and for an address of 16 digits and a space a frame.
    char line[128 + 17 * frames];
    size_t length = 0;
    append(line, &length, "waymark: ended by ");
    for (int kind = 0; kind < kinds; kind++) {
        if (fatal[kind].number == number) append(line, &length, fatal[kind].name);
    }
    append(line, &length, "; addr2line -Cfipe /usr/bin/waymark");
    void *calls[frames];
    int count = backtrace(calls, frames);
    for (int call = 0; call < count; call++) {
        uintptr_t address = (uintptr_t)calls[call];
        if (address < (uintptr_t)__ehdr_start || address >= (uintptr_t)_end) continue;
        appendAddress(line, &length, address - (uintptr_t)__ehdr_start);
    }
    append(line, &length, "\n");
    ssize_t written = write(STDERR_FILENO, line, length);
    (void)written;
    // The handler is gone by now (SA_RESETHAND): the signal ends the program when this returns.
    raise(number);
}

void waymarkInstallCrashHandler(void) {
    void *calls[1];
    backtrace(calls, 1);
    struct sigaction action = {.sa_handler = tell, .sa_flags = SA_RESETHAND | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    for (int kind = 0; kind < kinds; kind++) sigaction(fatal[kind].number, &action, NULL);
}
