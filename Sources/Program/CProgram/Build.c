#include "CProgram.h"

const char *waymarkBuild(void) { return WAYMARK_BUILD; }
