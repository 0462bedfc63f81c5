#include "cutf8.h"

// So many at once: small loops of this length become vector instructions.
enum { block = 16, replacement = 0xfffd };

static inline bool is_high(uint32_t unit) {
    return (unit & 0xfc00) == 0xd800;
}

static inline bool is_low(uint32_t unit) {
    return (unit & 0xfc00) == 0xdc00;
}

size_t chu_encoded_size(const uint16_t *units, size_t count) {
    size_t size = count, surrogates = 0;
    for (size_t i = 0; i < count; i++) {
        size += (units[i] >= 0x80) + (units[i] >= 0x800);
        surrogates += (units[i] & 0xf800) == 0xd800;
    }
    // Two surrogates that belong together were counted with three bytes each and take four.
    for (size_t i = 0; surrogates > 1 && i + 1 < count; i++) {
        if (is_high(units[i]) && is_low(units[i + 1])) {
            size -= 2;
            i++;
        }
    }
    return size;
}

static inline bool take_ascii_units(const uint16_t *units, uint8_t *bytes) {
    uint16_t all = 0;
    for (int k = 0; k < block; k++) {
        all |= units[k];
    }
    if (all >= 0x80) {
        return false;
    }
    for (int k = 0; k < block; k++) {
        bytes[k] = (uint8_t)units[k];
    }
    return true;
}

struct chu_encoded chu_encode(const uint16_t *units, size_t count, uint8_t *bytes, size_t room) {
    size_t i = 0, at = 0;
    while (i < count) {
        uint32_t point = units[i];
        size_t taken = 1;
        if (point < 0x80) {
            if (count - i >= block && room - at >= block && take_ascii_units(units + i, bytes + at)) {
                i += block;
                at += block;
                continue;
            }
            if (at == room) {
                break;
            }
            bytes[at++] = (uint8_t)point;
        } else if (point < 0x800) {
            if (room - at < 2) {
                break;
            }
            bytes[at++] = (uint8_t)(0xc0 | point >> 6);
            bytes[at++] = (uint8_t)(0x80 | (point & 0x3f));
        } else if (is_high(point) && i + 1 < count && is_low(units[i + 1])) {
            if (room - at < 4) {
                break;
            }
            point = 0x10000 + ((point & 0x3ff) << 10 | (units[i + 1] & 0x3ff));
            bytes[at++] = (uint8_t)(0xf0 | point >> 18);
            bytes[at++] = (uint8_t)(0x80 | (point >> 12 & 0x3f));
            bytes[at++] = (uint8_t)(0x80 | (point >> 6 & 0x3f));
            bytes[at++] = (uint8_t)(0x80 | (point & 0x3f));
            taken = 2;
        } else {
            if (room - at < 3) {
                break;
            }
            point = is_high(point) || is_low(point) ? replacement : point;
            bytes[at++] = (uint8_t)(0xe0 | point >> 12);
            bytes[at++] = (uint8_t)(0x80 | (point >> 6 & 0x3f));
            bytes[at++] = (uint8_t)(0x80 | (point & 0x3f));
        }
        i += taken;
    }
    return (struct chu_encoded){.read = i, .written = at};
}

static inline bool take_ascii_bytes(const uint8_t *bytes, uint16_t *units) {
    uint8_t all = 0;
    for (int k = 0; k < block; k++) {
        all |= bytes[k];
    }
    if (all >= 0x80) {
        return false;
    }
    for (int k = 0; k < block; k++) {
        units[k] = bytes[k];
    }
    return true;
}

struct chu_decoded chu_decode(const uint8_t *bytes, size_t count, bool goes_on, uint16_t *units) {
    struct chu_decoded result = {0};
    size_t i = 0, at = 0;
    while (i < count) {
        uint8_t first = bytes[i], low = 0x80, high = 0xbf;
        uint32_t point;
        size_t needed, next = i + 1;
        if (first < 0x80) {
            if (count - i >= block && take_ascii_bytes(bytes + i, units + at)) {
                i += block;
                at += block;
            } else {
                units[at++] = first;
                i++;
            }
            continue;
        }
        if (first >= 0xc2 && first <= 0xdf) {
            needed = 1;
            point = first & 0x1f;
        } else if (first >= 0xe0 && first <= 0xef) {
            needed = 2;
            point = first & 0x0f;
            low = first == 0xe0 ? 0xa0 : low;   // no overlong forms
            high = first == 0xed ? 0x9f : high; // no surrogates
        } else if (first >= 0xf0 && first <= 0xf4) {
            needed = 3;
            point = first & 0x07;
            low = first == 0xf0 ? 0x90 : low;
            high = first == 0xf4 ? 0x8f : high; // nothing above U+10FFFF
        } else {
            units[at++] = replacement;
            result.malformed = true;
            i++;
            continue;
        }
        while (needed > 0 && next < count && bytes[next] >= low && bytes[next] <= high) {
            point = point << 6 | (bytes[next++] & 0x3f);
            needed--;
            low = 0x80;
            high = 0xbf;
        }
        if (needed > 0 && next == count && goes_on) {
            result.kept = next - i;
            break;
        }
        if (needed > 0) {
            units[at++] = replacement;
            result.malformed = true;
        } else if (point >= 0x10000) {
            units[at++] = (uint16_t)(0xd7c0 + (point >> 10));
            units[at++] = (uint16_t)(0xdc00 | (point & 0x3ff));
        } else {
            units[at++] = (uint16_t)point;
        }
        i = next;
    }
    result.written = at;
    return result;
}

bool chu_is_plain(const uint8_t *bytes, size_t count) {
    bool odd = false;
    for (size_t i = 0; i < count; i++) {
        odd |= (uint8_t)(bytes[i] - 1) >= 0x7f;
    }
    return !odd;
}
