#pragma once

// UTF-8 from and to UTF-16, after the Encoding Standard: what is malformed becomes U+FFFD, one for each maximal part.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Bytes that `count` units take; a lone surrogate takes the three of U+FFFD.
size_t chu_encoded_size(const uint16_t *units, size_t count);

struct chu_encoded {
    size_t read;    // units
    size_t written; // bytes
};

/// Encodes whole characters while they fit into `room` bytes.
struct chu_encoded chu_encode(const uint16_t *units, size_t count, uint8_t *bytes, size_t room);

struct chu_decoded {
    size_t written; // units
    size_t kept;    // bytes at the end that begin a character, when the text goes on
    bool malformed; // at least one U+FFFD stands for what was no UTF-8
};

/// Decodes into `units`, which has room for `count`. With `goes_on`, a character that is cut at the end is kept.
struct chu_decoded chu_decode(const uint8_t *bytes, size_t count, bool goes_on, uint16_t *units);

/// Whether all bytes are from 1 to 127.
bool chu_is_plain(const uint8_t *bytes, size_t count);
