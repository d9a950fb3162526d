#define _GNU_SOURCE
#include "CProgram.h"

#include <link.h>
#include <malloc.h>
#include <sqlite3.h>
#include <sys/mman.h>
#include <unistd.h>

// Turns off SQLite's count of the memory that it uses, because the threads of all connections wait for the count's lock
// at each allocation, and nothing here asks for the count. This must come before the first use of SQLite
// (sqlite.org/c3ref/config.html), so it runs before main. SQLite advises it (sqlite.org/compile.html,
// SQLITE_DEFAULT_MEMSTATUS).
__attribute__((constructor)) static void countNoMemoryOfSQLite(void) { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

size_t waymarkUnusedMemory(void) { return mallinfo2().fordblks; }

// Lets go of the pages of the program that are never written. The next use of one maps it again, from the page cache or
// the file (madvise(2), MADV_DONTNEED). The segments that are writable at the start hold relocated addresses, which
// would be lost.
static int letGoOfCode(struct dl_phdr_info *program, size_t size, void *unused) {
    (void)size, (void)unused;
    ElfW(Addr) page = (ElfW(Addr))sysconf(_SC_PAGESIZE);
    for (int index = 0; index < program->dlpi_phnum; index += 1) {
        const ElfW(Phdr) *segment = &program->dlpi_phdr[index];
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W)) continue;
        ElfW(Addr) begin = (program->dlpi_addr + segment->p_vaddr + page - 1) & ~(page - 1);
        ElfW(Addr) end = (program->dlpi_addr + segment->p_vaddr + segment->p_filesz) & ~(page - 1);
        if (begin < end) madvise((void *)begin, end - begin, MADV_DONTNEED);
    }
    return 1;  // The program comes first (dl_iterate_phdr(3)); other processes share the pages of libraries.
}

void waymarkGiveMemoryBack(void) {
    malloc_trim(0);
    dl_iterate_phdr(letGoOfCode, NULL);
}
