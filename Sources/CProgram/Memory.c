#include "CProgram.h"

#include <malloc.h>
#include <sqlite3.h>

// SQLite counts the memory that it has, and takes a lock for the count at each allocation, for which the threads of all
// connections wait. Nothing here asks for the count, so it is turned off. This must come before SQLite begins
// (sqlite.org/c3ref/config.html), and therefore before main; SQLite advises it (sqlite.org/compile.html,
// SQLITE_DEFAULT_MEMSTATUS).
__attribute__((constructor)) static void countNoMemoryOfSQLite(void) { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

size_t waymarkUnusedMemory(void) { return mallinfo2().fordblks; }

void waymarkGiveMemoryBack(void) { malloc_trim(0); }
