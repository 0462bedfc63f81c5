// Feeds random and mutated bytes to both sides of a connection.
'use strict';

/** xorshift32: the same numbers for the same seed. */
function randomFrom(seed) {
    let state = seed >>> 0;
    return limit => {
        state ^= state << 13;
        state >>>= 0;
        state ^= state >>> 17;
        state ^= state << 5;
        state >>>= 0;
        return state % limit;
    };
}

function mutate(bytes, random) {
    const copy = [...bytes];
    for (let n = 1 + random(4); n > 0; n -= 1) {
        const at = random(copy.length + 1);
        switch (random(5)) {
        case 0: copy.splice(at, 1); break;
        case 1: copy.splice(at, 0, random(256)); break;
        case 2: copy.splice(at); break;
        case 3: copy.push(...copy.slice(at)); break;
        default: if (at < copy.length) { copy[at] ^= 1 << random(8); }
        }
    }
    return new Uint8Array(copy);
}

async function fuzz({ cases }, seed, rounds) {
    const random = randomFrom(seed);
    const good = cases.flatMap(({ messages }) => messages.map(({ hex }) => bytesOf(hex)));
    const joined = pair({
        myVersion: () => 'v', fn: value => value, obs: observer => observer?.next?.(1), a: {},
        storage: { getAppLocalFS: () => ({ name: 'fs', readBytes: () => new Uint8Array(3) }) },
    });
    const threw = [];
    for (let i = 0; i < rounds; i += 1) {
        const bytes = random(4) === 0
            ? Uint8Array.from({ length: random(60) }, () => random(256)) : mutate(good[random(good.length)], random);
        for (const receive of [joined.receiveInCore, joined.receiveInClient]) {
            try {
                receive(bytes.slice());
            } catch (err) {
                threw.push(`${hexOf(bytes)}: ${err}`);
            }
        }
        try {
            core.valuesSequence.unpack(bytes);
        } catch (err) {
            if (err?.type !== 'ipc') { threw.push(`values ${hexOf(bytes)}: ${err}`); }
        }
        if (i % 500 === 0) { await turn(); }
    }
    const other = pair({ myVersion: () => 'v' });
    const w3n = await client.promiseW3Nclient(other.clientSide);
    return { threw: threw.slice(0, 5), alive: await w3n.myVersion() };
}
