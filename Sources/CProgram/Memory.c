#include "CProgram.h"

#include <malloc.h>

size_t waymarkUnusedMemory(void) { return mallinfo2().fordblks; }

void waymarkGiveMemoryBack(void) { malloc_trim(0); }
