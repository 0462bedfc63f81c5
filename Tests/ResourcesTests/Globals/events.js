// Event, EventTarget and their kin, after the DOM Standard.
check('listeners are called in order, each once for its type, function and phase', () => {
    const seen = [];
    const target = new EventTarget();
    const note = () => seen.push('note');
    target.addEventListener('x', note);
    target.addEventListener('x', note, false);
    target.addEventListener('x', note, { capture: true });
    target.addEventListener('x', { handleEvent(event) { seen.push(['object', this.name, event.type]); }, name: 'n' });
    target.addEventListener('x', function (event) { seen.push([this === target, event.currentTarget === target,
        event.target === target, event.eventPhase]); });
    target.addEventListener('x', () => seen.push('capture'), true);
    same(target.dispatchEvent(new Event('x')), true);
    same(seen, ['note', 'capture', 'note', ['object', 'n', 'x'], [true, true, true, 2]]);
    target.removeEventListener('x', note, true);
    target.removeEventListener('x', () => {});
    seen.length = 0;
    target.dispatchEvent(new Event('x'));
    same(seen.filter(each => each === 'note'), ['note']);
});

check('once, passive and signal', () => {
    const seen = [];
    const target = new EventTarget();
    const controller = new AbortController();
    target.addEventListener('x', () => { seen.push('once'); target.dispatchEvent(new Event('x')); }, { once: true });
    target.addEventListener('x', () => seen.push('signal'), { signal: controller.signal });
    target.addEventListener('x', event => { event.preventDefault(); seen.push(event.defaultPrevented); },
        { passive: true });
    target.addEventListener('x', () => seen.push('never'), { signal: AbortSignal.abort() });
    target.dispatchEvent(new Event('x', { cancelable: true }));
    controller.abort();
    target.dispatchEvent(new Event('x', { cancelable: true }));
    same(seen, ['once', 'signal', false, 'signal', false, false]);
    for (const signal of [null, {}, 5]) { throws(() => target.addEventListener('x', () => {}, { signal })); }
});

check('listeners that come and go while an event is under way', () => {
    const seen = [];
    const target = new EventTarget();
    const gone = () => seen.push('gone');
    target.addEventListener('x', () => {
        seen.push('first');
        target.removeEventListener('x', gone);
        target.addEventListener('x', () => seen.push('late'));
    }, { once: true });
    target.addEventListener('x', gone);
    target.dispatchEvent(new Event('x'));
    same(seen, ['first']);
    target.dispatchEvent(new Event('x'));
    same(seen, ['first', 'late']);
});

check('propagation can be stopped', () => {
    const seen = [];
    const target = new EventTarget();
    target.addEventListener('a', event => event.stopImmediatePropagation());
    target.addEventListener('a', () => seen.push('a'));
    target.addEventListener('b', event => event.stopPropagation(), true);
    target.addEventListener('b', () => seen.push('b capture'), true);
    target.addEventListener('b', () => seen.push('b'));
    target.dispatchEvent(new Event('a'));
    target.dispatchEvent(new Event('b'));
    same(seen, ['b capture']);
});

check('defaults are prevented where that is possible', () => {
    const target = new EventTarget();
    target.addEventListener('x', event => event.preventDefault());
    target.addEventListener('y', event => { event.returnValue = false; });
    const dispatch = (type, init) => target.dispatchEvent(new Event(type, init));
    same([dispatch('x'), dispatch('x', { cancelable: true }), dispatch('y', { cancelable: true })],
        [true, false, false]);
});

check('events have what they were made with', () => {
    const event = new CustomEvent('x', { detail: { d: 1 }, bubbles: 1, composed: true });
    const { type, detail, bubbles, cancelable, composed, isTrusted, target, currentTarget, eventPhase,
        defaultPrevented, timeStamp } = event;
    same([type, detail, bubbles, cancelable, composed, isTrusted, target, currentTarget, eventPhase,
        defaultPrevented, timeStamp > 0, event.composedPath()],
        ['x', { d: 1 }, true, false, true, false, null, null, 0, false, true, []]);
    same([new CustomEvent('x').detail, new Event(undefined).type, Event.AT_TARGET, event.BUBBLING_PHASE],
        [null, 'undefined', 2, 3]);
    event.initEvent('y', true, true);
    same([event.type, event.cancelable], ['y', true]);
    same(Object.keys(event), []);
    const error = new ErrorEvent('error', { message: 'm', filename: 'f', lineno: 3, colno: -1, error: 5 });
    same([error.message, error.filename, error.lineno, error.colno, error.error], ['m', 'f', 3, 4294967295, 5]);
    throws(() => new PromiseRejectionEvent('x', {}));
    throws(() => new Event('x', 5));
});

check('an event is under way once', () => {
    const target = new EventTarget();
    let name;
    target.addEventListener('x', event => { try { target.dispatchEvent(event); } catch (err) { ({ name } = err); } });
    const event = new Event('x');
    target.dispatchEvent(event);
    same(name, 'InvalidStateError');
    same(target.dispatchEvent(event), true);
    for (const wrong of [{}, null, 'x', { type: 'x' }]) { throws(() => target.dispatchEvent(wrong)); }
    throws(() => EventTarget.prototype.addEventListener.call({}, 'x', () => {}));
});

check('what a listener throws is reported, and the others are called', async () => {
    const seen = [];
    const errors = await uncaughtOf(() => {
        const target = new EventTarget();
        target.addEventListener('x', () => { throw new Error('first'); });
        target.addEventListener('x', {});
        target.addEventListener('x', { get handleEvent() { throw new Error('getter'); } });
        target.addEventListener('x', () => seen.push('last'));
        target.dispatchEvent(new Event('x'));
    });
    same([seen, errors.map(err => err.message.slice(0, 10))], [['last'], ['first', 'A listener', 'getter']]);
});

check('listeners are functions or objects', () => {
    const target = new EventTarget();
    target.addEventListener('x', null);
    target.addEventListener('x', undefined);
    for (const wrong of [5, 'x', Symbol(), true]) { throws(() => target.addEventListener('x', wrong)); }
    class Mine extends EventTarget { constructor() { super(); this.seen = 0;
        this.addEventListener('x', () => { this.seen += 1; }); } }
    const mine = new Mine();
    mine.dispatchEvent(new Event('x'));
    same(mine.seen, 1);
});

check('the global object is a target', () => {
    const seen = [];
    const listener = event => seen.push([event.target === globalThis, event.type]);
    addEventListener('mine', listener);
    dispatchEvent(new Event('mine'));
    removeEventListener('mine', listener);
    dispatchEvent(new Event('mine'));
    same(seen, [[true, 'mine']]);
});

check('errors and rejections come as events', async () => {
    const seen = [];
    const onError = event => { seen.push([event instanceof ErrorEvent, event.message, event.error, event.isTrusted]);
        event.preventDefault(); };
    const onRejection = event => { seen.push([event instanceof PromiseRejectionEvent, event.reason,
        event.promise instanceof Promise]); event.preventDefault(); };
    addEventListener('error', onError);
    addEventListener('unhandledrejection', onRejection);
    reportError('boom');
    Promise.reject('lost');
    await pause(5);
    removeEventListener('error', onError);
    removeEventListener('unhandledrejection', onRejection);
    same(seen, [[true, 'boom', 'boom', true], [true, 'lost', true]]);
});
