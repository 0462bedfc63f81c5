#pragma once

#include <stddef.h>
#include <stdint.h>

/// scryptROMix of RFC 7914 in steps, so that whoever runs it can look up between them: there are 2 × n, and each goes
/// over 128 × r bytes once. All memory is the caller's, aligned to 64 bytes.
struct chr_romix {
    uint8_t *v; // 128 × r × n bytes
    uint8_t *x; // 128 × r bytes
    uint8_t *y; // 128 × r bytes
    size_t r;
    uint64_t n; // a power of two
    uint64_t done;
};

/// Takes a block of 128 × r bytes and sets `done` to 0.
void chr_romix_begin(struct chr_romix *mix, const uint8_t *block);

/// Does `steps` steps, fewer at the end.
void chr_romix_advance(struct chr_romix *mix, uint64_t steps);

/// Puts the result in place of the block, once `done` is 2 × n.
void chr_romix_end(const struct chr_romix *mix, uint8_t *block);
