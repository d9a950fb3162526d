// Loads libxml2 and libgps when they are first called. make-deb links this in place of the libraries.
//
// Many boards never read a GPX or KML file, and some have no gpsd, but the loader would map these libraries at each
// start, and with them ICU, D-Bus and the C++ library, which they need: 3 MB. XML and GPS are the names under which the
// loader finds the two libraries.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlreader.h>

// Returns a function of a library; NULL if the library cannot be loaded.
//
// Several threads may load a library at once; the loader then only counts several uses of it.
static void *find(const char *library, const char *name) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    void *function = handle ? dlsym(handle, name) : NULL;
    if (!function) fprintf(stderr, "waymark: %s\n", dlerror());
    return function;
}

// Defines a function that calls the one of the same name in a library. Without the library it returns `missing`.
#define LATE(library, missing, result, name, parameters, arguments)                                                   \
    result name parameters {                                                                                          \
        static __typeof__(&name) known;                                                                               \
        __typeof__(&name) function = __atomic_load_n(&known, __ATOMIC_ACQUIRE);                                       \
        if (!function) {                                                                                              \
            function = (__typeof__(&name))find(library, #name);                                                       \
            if (!function) return missing;                                                                            \
            __atomic_store_n(&known, function, __ATOMIC_RELEASE);                                                     \
        }                                                                                                             \
        return function arguments;                                                                                    \
    }

// The prototypes are those of libxml2's headers, so the compiler checks each function. Without the library, the two
// that create a parser return none. Waymark reports that, and then calls no others.
LATE(XML, (void)0, void, xmlInitParser, (void), ())
LATE(XML, NULL, xmlParserCtxtPtr, xmlCreatePushParserCtxt,
     (xmlSAXHandlerPtr sax, void *data, const char *chunk, int size, const char *file), (sax, data, chunk, size, file))
LATE(XML, 0, int, xmlCtxtUseOptions, (xmlParserCtxtPtr context, int options), (context, options))
LATE(XML, 0, int, xmlParseChunk, (xmlParserCtxtPtr context, const char *chunk, int size, int terminate),
     (context, chunk, size, terminate))
LATE(XML, (void)0, void, xmlFreeParserCtxt, (xmlParserCtxtPtr context), (context))
LATE(XML, (void)0, void, xmlFreeDoc, (xmlDocPtr document), (document))
LATE(XML, 0, size_t, xmlDictSetLimit, (xmlDictPtr dictionary, size_t limit), (dictionary, limit))
LATE(XML, NULL, const xmlChar *, xmlDictLookup, (xmlDictPtr dictionary, const xmlChar *name, int length),
     (dictionary, name, length))
LATE(XML, (void)0, void, xmlSetGenericErrorFunc, (void *context, xmlGenericErrorFunc handler), (context, handler))
LATE(XML, NULL, __typeof__(xmlGetLastError()), xmlGetLastError, (void), ())
LATE(XML, NULL, xmlTextReaderPtr, xmlReaderForMemory,
     (const char *bytes, int size, const char *url, const char *encoding, int options),
     (bytes, size, url, encoding, options))
LATE(XML, (void)0, void, xmlFreeTextReader, (xmlTextReaderPtr reader), (reader))
LATE(XML, -1, int, xmlTextReaderRead, (xmlTextReaderPtr reader), (reader))
LATE(XML, 0, int, xmlTextReaderNodeType, (xmlTextReaderPtr reader), (reader))
LATE(XML, 0, int, xmlTextReaderIsEmptyElement, (xmlTextReaderPtr reader), (reader))
LATE(XML, 0, int, xmlTextReaderMoveToAttribute, (xmlTextReaderPtr reader, const xmlChar *name), (reader, name))
LATE(XML, 0, int, xmlTextReaderMoveToElement, (xmlTextReaderPtr reader), (reader))
LATE(XML, NULL, const xmlChar *, xmlTextReaderConstLocalName, (xmlTextReaderPtr reader), (reader))
LATE(XML, NULL, const xmlChar *, xmlTextReaderConstValue, (xmlTextReaderPtr reader), (reader))
LATE(XML, 0, int, xmlTextReaderGetParserLineNumber, (xmlTextReaderPtr reader), (reader))

// gps.h is not included, because the prototype of gps_unpack differs between versions of libgps. Without the library,
// gps_unpack fails, so no line is understood.
int gps_unpack(char *line, void *report);
LATE(GPS, -1, int, gps_unpack, (char *line, void *report), (line, report))
void gps_clear_fix(void *fix);
LATE(GPS, (void)0, void, gps_clear_fix, (void *fix), (fix))
