// mhd.c: finds libmicrohttpd at run time.
#include "mhd.h"

#include <dlfcn.h>
#include <string.h>

// Debian 12 and 13, Ubuntu and Fedora have the one name.
static const char library_name[] = "libmicrohttpd.so.12";

static RtStatus refuse(RtError *error)
{
    rt_advise(error,
              "install it: apt-get install libmicrohttpd12   (Debian 13 calls it libmicrohttpd12t64); nothing else "
              "of this program needs it");
    return RT_FAILED;
}

RtStatus mhd_open(Mhd *mhd, RtError *error)
{
    static const struct {
        size_t at;
        const char *symbol;
    } entries[] = {
#define MHD_ROW(type, field, symbol, parameters) { offsetof(Mhd, field), symbol },
        MHD_ENTRIES(MHD_ROW)
#undef MHD_ROW
    };
    void *library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        rt_fail(error, ERR_LIBRARY_MISSING, "the server needs the library libmicrohttpd: %.200s", dlerror());
        return refuse(error);
    }
    for (size_t i = 0; i < sizeof entries / sizeof *entries; ++i) {
        void *found = dlsym(library, entries[i].symbol);
        if (!found) {
            rt_fail(error, ERR_LIBRARY_MISSING, "%s has no %s: it is not the library that the server needs",
                    library_name, entries[i].symbol);
            return refuse(error);
        }
        memcpy((char *)mhd + entries[i].at, &found, sizeof found);
    }
    return RT_OK;
}
