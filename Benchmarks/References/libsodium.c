// References for the cryptor's ports: libsodium called directly.
//
//   libsodium scrypt COUNT    scrypt with logN 17, r 3, p 1, after one that does not count: scrypt_p50_ns
//   libsodium box COUNT       secret boxes of 16 KiB: box_p50_ns

#include "measure.h"

#include <sodium.h>

static const uint8_t key[32] = {1}, nonce[24] = {2};

static void derive(void) {
    uint8_t result[32];
    if (crypto_pwhash_scryptsalsa208sha256_ll(key, sizeof key, nonce, sizeof nonce, 1 << 17, 3, 1, result,
                                              sizeof result) != 0) {
        fail("crypto_pwhash_scryptsalsa208sha256_ll", errno);
    }
}

static void pack(void) {
    static uint8_t message[16384];
    uint8_t *box = take(sizeof message + crypto_secretbox_MACBYTES);
    crypto_secretbox_easy(box, message, sizeof message, nonce, key);
    free(box);
}

int main(int count_of_arguments, char **arguments) {
    if (count_of_arguments != 3) {
        fprintf(stderr, "usage: libsodium scrypt|box COUNT\n");
        return 2;
    }
    if (sodium_init() < 0) {
        fail("sodium_init", EINVAL);
    }
    const char *name = arguments[1];
    void (*run)(void) = strcmp(name, "scrypt") == 0 ? derive : pack;
    long count = positive_argument(arguments[2], "COUNT");
    uint64_t *times = take((size_t)count * sizeof *times);
    run();
    for (long i = 0; i < count; i += 1) {
        uint64_t start = now_ns();
        run();
        times[i] = now_ns() - start;
    }
    print_percentiles(name, times, (size_t)count);
    free(times);
    return 0;
}
