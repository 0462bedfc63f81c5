// AbortController and AbortSignal, after the DOM Standard.
check('a signal is aborted once, with a reason', () => {
    const controller = new AbortController();
    const { signal } = controller;
    same([signal.aborted, signal.reason, controller.signal === signal], [false, undefined, true]);
    signal.throwIfAborted();
    const seen = [];
    signal.onabort = event => seen.push(['on', event.type, event.isTrusted, signal.aborted]);
    signal.addEventListener('abort', () => seen.push('listener'));
    controller.abort();
    controller.abort('again');
    same([seen, signal.reason.name, signal.reason.code, signal.reason instanceof DOMException],
        [[['on', 'abort', true, true], 'listener'], 'AbortError', 20, true]);
    throws(() => signal.throwIfAborted(), 'AbortError');
    same(AbortSignal.abort('why').reason, 'why');
    let thrown;
    try { AbortSignal.abort(0).throwIfAborted(); } catch (err) { thrown = err; }
    same(thrown, 0);
});

check('onabort keeps its place', () => {
    const seen = [];
    const controller = new AbortController();
    const { signal } = controller;
    same(signal.onabort, null);
    signal.onabort = () => seen.push('old');
    signal.addEventListener('abort', () => seen.push('listener'));
    const later = () => seen.push('new');
    signal.onabort = later;
    same(signal.onabort === later, true);
    controller.abort();
    same(seen, ['new', 'listener']);
    for (const value of [5, 'x', null, undefined]) {
        signal.onabort = value;
        same(signal.onabort, null);
    }
});

check('a time limit aborts', async () => {
    const signal = AbortSignal.timeout(1);
    same(signal.aborted, false);
    await new Promise(resolve => signal.addEventListener('abort', resolve));
    same([signal.reason.name, signal.reason.code], ['TimeoutError', 23]);
    for (const wrong of [-1, NaN, Infinity, 2 ** 53, 'x', undefined]) { throws(() => AbortSignal.timeout(wrong)); }
    const far = [AbortSignal.timeout(2 ** 53 - 1), AbortSignal.timeout(2 ** 31), AbortSignal.timeout(2 ** 32)];
    await pause(5);
    same(far.map(each => each.aborted), [false, false, false]);
});

check('any follows all its signals', () => {
    const [a, b] = [new AbortController(), new AbortController()];
    const seen = [];
    const any = AbortSignal.any([a.signal, b.signal, a.signal]);
    const nested = AbortSignal.any([any]);
    a.signal.addEventListener('abort', () => seen.push(['a', any.aborted, nested.aborted]));
    any.addEventListener('abort', () => seen.push('any'));
    nested.addEventListener('abort', () => seen.push('nested'));
    b.signal.addEventListener('abort', () => seen.push('b'));
    a.abort('r');
    b.abort('other');
    same([seen, any.reason, nested.reason], [[['a', true, true], 'any', 'nested', 'b'], 'r', 'r']);
    same([AbortSignal.any([]).aborted, AbortSignal.any(new Set([AbortSignal.abort('x')])).reason], [false, 'x']);
    for (const wrong of [undefined, null, 5, {}, [{}], [null], 'x']) { throws(() => AbortSignal.any(wrong)); }
});

check('dependent signals that nobody waits for do not stay', async () => {
    const { signal } = new AbortController();
    await pause(1);
    nativeCounts();
    const [before] = nativeCounts();
    for (let round = 0; round < 20; round += 1) {
        for (let i = 0; i < 500; i += 1) { AbortSignal.any([signal]); }
        await pause(1);
        nativeCounts();
    }
    await pause(10);
    const [after] = nativeCounts();
    same(after - before < 10000, true, `${after - before} objects`);
});

check('dependent signals that somebody waits for do stay', async () => {
    const controller = new AbortController();
    const seen = [];
    (() => { AbortSignal.any([controller.signal]).addEventListener('abort', event => seen.push(event.target.reason));
        })();
    (() => { new EventTarget().addEventListener('x', () => {}, { signal: AbortSignal.any([controller.signal]) }); })();
    await pause(1);
    nativeCounts();
    await pause(5);
    nativeCounts();
    controller.abort('late');
    same(seen, ['late']);
});

check('what an abort listener throws is reported', async () => {
    const seen = [];
    const errors = await uncaughtOf(() => {
        const controller = new AbortController();
        controller.signal.onabort = () => { throw new Error('on'); };
        controller.signal.addEventListener('abort', () => seen.push('next'));
        controller.abort();
    });
    same([seen, errors.map(err => err.message)], [['next'], ['on']]);
});
