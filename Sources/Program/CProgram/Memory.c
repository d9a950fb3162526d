#include "CProgram.h"

#include <malloc.h>
#include <sqlite3.h>

// Turns off SQLite's count of the memory that it uses, because the threads of all connections wait for the count's lock
// at each allocation, and nothing here asks for the count. This must come before the first use of SQLite
// (sqlite.org/c3ref/config.html), so it runs before main. SQLite advises it (sqlite.org/compile.html,
// SQLITE_DEFAULT_MEMSTATUS).
__attribute__((constructor)) static void countNoMemoryOfSQLite(void) { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

size_t waymarkUnusedMemory(void) { return mallinfo2().fordblks; }

void waymarkGiveMemoryBack(void) { malloc_trim(0); }
