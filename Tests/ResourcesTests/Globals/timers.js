// Timers, after HTML.
check('order is by time, then by creation', async () => {
    const fired = [];
    const note = (...args) => fired.push(args.join());
    setTimeout(note, 40, 'e');
    setTimeout(note, 20, 'c');
    setTimeout(note, 20, 'd', 1);
    setTimeout(note, 0, 'a');
    setImmediate(note, 'b', 2);
    clearTimeout(setTimeout(note, 1, 'never'));
    await pause(60);
    same(fired, ['a', 'b,2', 'c', 'd,1', 'e']);
});

check('odd delays mean at once', async () => {
    const fired = [];
    for (const delay of [NaN, -1, -Infinity, Infinity, 2 ** 31, 2 ** 32, '', 'x', null, undefined, {}, [], true, '0',
        0.9, -0]) { setTimeout(() => fired.push(String(delay)), delay); }
    setTimeout(() => fired.push('none'));
    const far = setTimeout(() => fired.push('far'), 2 ** 31 - 1);
    await pause(20);
    clearTimeout(far);
    same(fired.length, 17);
    for (const wrong of [1n, Symbol(), { valueOf() { throw new TypeError('mine'); } }]) { throws(() =>
        setTimeout(() => {}, wrong)); }
});

check('only functions are called', () => {
    for (const wrong of ['alert()', undefined, null, {}, 5]) {
        for (const set of [setTimeout, setInterval, setImmediate, queueMicrotask]) { throws(() => set(wrong)); }
    }
});

check('ids are positive whole numbers, and clearing anything else is harmless', async () => {
    const ids = [setTimeout(() => {}), setInterval(() => {}), setImmediate(() => {})];
    same([new Set(ids).size, ids.every(id => Number.isInteger(id) && id > 0)], [3, true]);
    let fired = 0;
    clearInterval(setTimeout(() => { fired += 1; }, 1));
    clearTimeout(String(setInterval(() => { fired += 1; }, 1)));
    ids.forEach(clearTimeout);
    for (const odd of [undefined, null, NaN, -1, 1e300, {}, [], 'x', Infinity]) { clearTimeout(odd);
        clearInterval(odd); clearImmediate(odd); }
    clearTimeout();
    await pause(10);
    same(fired, 0);
});

check('this is the global object, and arguments are passed', async () => {
    const seen = [];
    setTimeout(function (...args) { seen.push([this === globalThis, args.length]); }, 0, 1, 2, 3);
    const id = setInterval(function (...args) { seen.push([this === globalThis, args]); clearInterval(id); }, 0, 'x');
    await pause(10);
    same(seen, [[true, 3], [true, ['x']]]);
});

check('a callback that throws stops nobody', async () => {
    const seen = [];
    const errors = await uncaughtOf(async () => {
        setTimeout(() => { throw new Error('once'); });
        const id = setInterval(() => {
            seen.push('again');
            if (seen.length === 2) { clearInterval(id); }
            throw new Error('each');
        });
        queueMicrotask(() => { throw new Error('micro'); });
        while (seen.length < 2) { await pause(1); }
    });
    same([seen, errors.map(err => err.message)], [['again', 'again'], ['micro', 'once', 'each', 'each']]);
});

check('timers are cleared inside callbacks', async () => {
    const seen = [];
    const later = [];
    setTimeout(() => { seen.push('first'); later.forEach(clearTimeout); });
    later.push(setTimeout(() => seen.push('second')), setInterval(() => seen.push('third')));
    const self1 = setTimeout(() => { clearTimeout(self1); seen.push('own'); });
    const repeat = setInterval(() => { seen.push('repeat'); clearInterval(repeat);
        setTimeout(() => seen.push('after')); });
    await pause(15);
    same(seen, ['first', 'own', 'repeat', 'after']);
});

check('microtasks run between two timers', async () => {
    const seen = [];
    for (let i = 0; i < 200; i += 1) {
        setTimeout(() => {
            seen.push(i);
            queueMicrotask(() => { seen.push(-i); Promise.resolve().then(() => seen.push('p')); });
        });
    }
    await pause(30);
    same([seen.length, seen.slice(0, 6), seen.slice(-3)], [600, [0, -0, 'p', 1, -1, 'p'], [199, -199, 'p']]);
});

// From here on the clock is the test's own: at(time, fn) runs what is due up to that time.
check('timers that lead to each other slow down, as HTML says', () => withClock(async ({ advance, now }) => {
    const times = [];
    const chain = async () => {
        for (let i = 0; i < 9; i += 1) {
            await new Promise(resolve => setTimeout(resolve, i % 2));
            times.push(now());
        }
    };
    chain();
    await advance(100);
    same(times, [0, 1, 1, 2, 2, 3, 7, 11, 15]);
    const start = now();
    const beats = [];
    const id = setInterval(() => { if (beats.push(now() - start) === 9) { clearInterval(id); } }, 0);
    await advance(start + 100);
    same(beats, [0, 0, 0, 0, 0, 0, 4, 8, 12]);
    let count = 0;
    const again = () => { if ((count += 1) < 1000) { setImmediate(again); } };
    again();
    await advance(now());
    same(count, 1000);
    // What starts outside of a timer begins anew.
    let fired;
    setTimeout(() => { fired = now(); }, 1);
    const from = now();
    await advance(from + 10);
    same(fired - from, 1);
}));

check('an interval keeps its beat, and misses what it cannot keep', () => withClock(async ({ advance, now, set }) => {
    const beats = [];
    const id = setInterval(() => {
        beats.push(now());
        set(now() + (beats.length === 4 ? 35 : 3));
        if (beats.length === 8) { clearInterval(id); }
    }, 10);
    await advance(200);
    same(beats, [10, 20, 30, 40, 75, 80, 90, 100]);
}));

check('the same order as a sorted list, with random clearing', () => withClock(async ({ advance, now }) => {
    const seed = (Math.random() * 0x7fffffff) | 1;
    let state = seed;
    const random = limit => {
        state = Math.imul(state, 1664525) + 1013904223 | 0;
        return (state >>> 8) % limit;
    };
    const fired = [];
    const wanted = new Map();
    const live = [];
    for (let i = 0; i < 5000; i += 1) {
        const delay = random(50);
        const id = setTimeout(() => fired.push(i), delay);
        wanted.set(i, delay);
        live.push([i, id]);
        if (random(3) === 0) {
            const [[other, gone]] = live.splice(random(live.length), 1);
            clearTimeout(gone);
            wanted.delete(other);
        }
    }
    await advance(now() + 60);
    const sorted = [...wanted].sort(([a, first], [b, second]) => first - second || a - b).map(([i]) => i);
    same(fired, sorted, `seed ${seed}`);
}));

check('a million timers set and cleared leave nothing, and arm nothing', async () => {
    await pause(1);
    const warm = setTimeout(() => {}, 1e6);
    nativeCounts();
    const [objects, bytes] = nativeCounts();
    const { armed } = wakeups;
    for (let i = 0; i < 1000000; i += 1) { clearTimeout(setTimeout(() => {}, 2e6 + i)); }
    same(wakeups.armed, armed);
    for (let round = 0; round < 10; round += 1) {
        const ids = [];
        for (let i = 0; i < 10000; i += 1) { ids.push(setTimeout(() => {}, 2e6 + ((i * 7919) % 10000))); }
        ids.forEach(clearTimeout);
    }
    same(wakeups.armed, armed);
    // The collector may take a timer for alive that still lies on the stack, but no more.
    let more;
    for (let round = 0; round < 3; round += 1) {
        await pause(1);
        const [objectsAfter, bytesAfter] = nativeCounts();
        more = [objectsAfter - objects, bytesAfter - bytes];
        if (more[0] < 500 && more[1] < 300000) { break; }
    }
    same(more[0] < 500 && more[1] < 300000, true, `${more} objects and bytes`);
    clearTimeout(warm);
});

check('100,000 timers that wait cost no wake-ups', async () => {
    const ids = [];
    for (let i = 0; i < 100000; i += 1) { ids.push(setTimeout(() => {}, 1e7 + (i % 1000))); }
    const before = { ...wakeups };
    await pause(50);
    same(wakeups.fired - before.fired <= 2, true, `${wakeups.fired - before.fired} wake-ups`);
    same(wakeups.armed - before.armed <= 3, true);
    ids.reverse().forEach(clearTimeout);
});

check('many timers that are due at once do not wake one by one', async () => {
    let fired = 0;
    for (let i = 0; i < 20000; i += 1) { setTimeout(() => { fired += 1; }, 1); }
    const { armed } = wakeups;
    await pause(3);
    while (fired < 20000) { await pause(1); }
    same(wakeups.armed - armed < 2000, true, `armed ${wakeups.armed - armed} times`);
});
