#include "cscrypt.h"

#include <endian.h>
#include <string.h>

// A 64-byte block is kept as the four diagonals of Salsa20's 4 × 4 words, each in a vector of its own: word i of that order
// is word 5 × i modulo 16 of the block's own. A quarter round is then one on all four columns or rows at once.
typedef uint32_t lane __attribute__((vector_size(16)));

struct words {
    lane d[4];
};

static inline lane rotate(lane a, int by) {
    return a << by | a >> (32 - by);
}

static inline void salsa8(struct words *block) {
    lane a = block->d[0], b = block->d[1], c = block->d[2], d = block->d[3];
#pragma clang loop unroll(full)
    for (int round = 0; round < 4; round += 1) {
        b ^= rotate(a + d, 7);
        c ^= rotate(b + a, 9);
        d ^= rotate(c + b, 13);
        a ^= rotate(d + c, 18);
        b = __builtin_shufflevector(b, b, 3, 0, 1, 2);
        c = __builtin_shufflevector(c, c, 2, 3, 0, 1);
        d = __builtin_shufflevector(d, d, 1, 2, 3, 0);
        d ^= rotate(a + b, 7);
        c ^= rotate(d + a, 9);
        b ^= rotate(c + d, 13);
        a ^= rotate(b + c, 18);
        b = __builtin_shufflevector(b, b, 1, 2, 3, 0);
        c = __builtin_shufflevector(c, c, 2, 3, 0, 1);
        d = __builtin_shufflevector(d, d, 3, 0, 1, 2);
    }
    block->d[0] += a;
    block->d[1] += b;
    block->d[2] += c;
    block->d[3] += d;
}

static inline struct words both(const struct words *one, const struct words *other) {
    struct words result = *one;
    for (int i = 0; i < 4; i += 1) {
        result.d[i] ^= other->d[i];
    }
    return result;
}

// scryptBlockMix of `in`, or of `in` xor `other`: blocks with an even number first, then the others.
static inline void mix_blocks(const struct words *in, const struct words *other, struct words *out, size_t r) {
    struct words state = other ? both(&in[2 * r - 1], &other[2 * r - 1]) : in[2 * r - 1];
    for (size_t i = 0; i < 2 * r; i += 1) {
        struct words block = other ? both(&in[i], &other[i]) : in[i];
        state = both(&state, &block);
        salsa8(&state);
        out[i / 2 + (i % 2) * r] = state;
    }
}

static uint64_t integerify(const struct words *block, size_t r) {
    uint32_t words[16];
    memcpy(words, &block[2 * r - 1], sizeof words);
    return (uint64_t)words[13] << 32 | words[0];
}

void chr_romix_begin(struct chr_romix *mix, const uint8_t *block) {
    uint32_t *first = (uint32_t *)(void *)mix->v;
    for (size_t base = 0; base < 32 * mix->r; base += 16) {
        for (size_t i = 0; i < 16; i += 1) {
            uint32_t word;
            memcpy(&word, block + 4 * (base + i * 5 % 16), sizeof word);
            first[base + i] = le32toh(word);
        }
    }
    mix->done = 0;
}

void chr_romix_advance(struct chr_romix *mix, uint64_t steps) {
    const size_t r = mix->r;
    const uint64_t n = mix->n;
    struct words *v = (struct words *)(void *)mix->v;
    uint64_t end = 2 * n - mix->done < steps ? 2 * n : mix->done + steps;
    uint64_t at = mix->done;
    for (; at < end && at < n; at += 1) {
        struct words *next = at + 1 < n ? &v[(at + 1) * 2 * r] : (struct words *)(void *)mix->x;
        mix_blocks(&v[at * 2 * r], NULL, next, r);
    }
    struct words *x = (struct words *)(void *)mix->x;
    struct words *y = (struct words *)(void *)mix->y;
    for (; at < end; at += 1) {
        mix_blocks(x, &v[(integerify(x, r) & (n - 1)) * 2 * r], y, r);
        struct words *last = x;
        x = y;
        y = last;
    }
    mix->x = (uint8_t *)x;
    mix->y = (uint8_t *)y;
    mix->done = at;
}

void chr_romix_end(const struct chr_romix *mix, uint8_t *block) {
    const uint32_t *words = (const uint32_t *)(const void *)mix->x;
    for (size_t base = 0; base < 32 * mix->r; base += 16) {
        for (size_t i = 0; i < 16; i += 1) {
            uint32_t word = htole32(words[base + i]);
            memcpy(block + 4 * (base + i * 5 % 16), &word, sizeof word);
        }
    }
}
