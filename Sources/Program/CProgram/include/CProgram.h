#include <stddef.h>

// Which build this is, such as 20261122.0814.980bfce: the day, time (UTC) and commit of its source. Empty where the
// package manifest was not given WAYMARK_BUILD, as in a build by hand.
const char *waymarkBuild(void);

// Has the program write a line to standard error before a signal ends it that a mistake of its own, or a watchdog,
// sends: the signal, and the calls that led there as addresses within the executable, which addr2line(1) turns into
// functions and lines.
void waymarkInstallCrashHandler(void);

// How many bytes of the heaps are free, whether or not the system has their pages (mallinfo2(3), "fordblks").
size_t waymarkUnusedMemory(void);

// Gives the pages of the heaps back to the system in which nothing is used (malloc_trim(3)); glibc by itself gives back
// only what lies at a heap's end. Also lets go of the program's code and constants, of which most serve the start alone;
// what is used again is mapped again, without reading the disk while the page cache has it.
void waymarkGiveMemoryBack(void);
