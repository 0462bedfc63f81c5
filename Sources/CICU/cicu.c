#include "cicu.h"

#include <pthread.h>
#include <stddef.h>
#include <unicode/uidna.h>

static pthread_once_t opened = PTHREAD_ONCE_INIT;
static UIDNA *idna;

static void open_idna(void) {
    UErrorCode status = U_ZERO_ERROR;
    idna = uidna_openUTS46(UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII, &status);
    if (U_FAILURE(status)) {
        idna = NULL;
    }
}

int32_t chi_domain_to_ascii(const uint16_t *domain, int32_t count, uint16_t *ascii, int32_t room) {
    const uint32_t allowed = UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG | UIDNA_ERROR_DOMAIN_NAME_TOO_LONG |
                             UIDNA_ERROR_LEADING_HYPHEN | UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4;
    UIDNAInfo info = UIDNA_INFO_INITIALIZER;
    UErrorCode status = U_ZERO_ERROR;
    pthread_once(&opened, open_idna);
    if (idna == NULL) {
        return -1;
    }
    int32_t size = uidna_nameToASCII(idna, domain, count, ascii, room, &info, &status);
    if ((U_FAILURE(status) && status != U_BUFFER_OVERFLOW_ERROR) || (info.errors & ~allowed) != 0) {
        return -1;
    }
    return size;
}
