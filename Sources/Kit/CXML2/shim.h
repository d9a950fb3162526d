// libxml2's ICU fields are not used here, and ICU's headers clash with those of Foundation's own ICU.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlreader.h>

// libxml2 writes some complaints about encodings to standard error, past the parser that they are about, unless the
// thread has a function for them. Its arguments vary in number, so that it cannot be written in Swift.
static void xmlIgnoreMessage(void *context, const char *message, ...) {
    (void)context;
    (void)message;
}

// Keeps this thread's complaints away from standard error; parsers are told of them besides.
static inline void xmlIgnoreMessages(void) {
    xmlSetGenericErrorFunc(NULL, xmlIgnoreMessage);
}
