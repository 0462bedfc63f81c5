#pragma once

#include <gcrypt.h>
#include <stdbool.h>

// gcry_control takes any number of arguments, which Swift cannot call.

/// Says that the program has chosen nothing else; false when the library is older than these declarations. Who has prepared
/// the library before, libsecret for one, is left alone.
static inline bool cgcrypt_prepare(void) {
    if (gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P)) {
        return true;
    }
    if (gcry_check_version(GCRYPT_VERSION) == NULL) {
        return false;
    }
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    return true;
}
