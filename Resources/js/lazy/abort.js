// AbortController and AbortSignal, after the DOM Standard.
(() => {
'use strict';
return ({ load, need, expose, domException, brands }) => {
    const { Event, EventTarget, watch, fire } = load('events');
    let isMaking = false;

    class AbortSignal extends EventTarget {
        #aborted = false;
        #reason;
        #algorithms = new Set();
        #listeners = 0;
        #onabort = null;
        // A dependent signal has sources, which hold it while somebody waits for it, and else only know it weakly.
        #sources = [];
        #dependents = new Set();
        #held = new Set();
        constructor() {
            if (!isMaking) { throw new TypeError('Illegal constructor'); }
            super();
        }
        static make() {
            isMaking = true;
            try {
                return new AbortSignal();
            } finally {
                isMaking = false;
            }
        }
        static is(value) { return typeof value === 'object' && value !== null && #algorithms in value; }
        static add(signal, algorithm) {
            signal.#algorithms.add(algorithm);
            signal.#hold();
        }
        static remove(signal, algorithm) {
            signal.#algorithms.delete(algorithm);
            signal.#hold();
        }
        static raise(signal, reason = domException('This was aborted', 'AbortError')) {
            if (signal.#aborted) { return; }
            const all = [signal];
            for (const reference of signal.#dependents) {
                const dependent = reference.deref();
                if (dependent && !dependent.#aborted) { all.push(dependent); }
            }
            for (const each of all) {
                each.#aborted = true;
                each.#reason = reason;
            }
            for (const each of all) { each.#run(); }
        }
        #run() {
            const algorithms = [...this.#algorithms];
            this.#algorithms.clear();
            for (const algorithm of algorithms) { algorithm(); }
            fire(this, new Event('abort'));
            this.#hold();
        }
        #hold() {
            const isWanted = !this.#aborted && (this.#listeners > 0 || this.#algorithms.size > 0);
            for (const source of this.#sources) {
                if (isWanted) { source.#held.add(this); } else { source.#held.delete(this); }
            }
        }
        static depend(signal, sources) {
            const reference = new WeakRef(signal);
            signal.#sources = [...new Set(sources.flatMap(each => each.#sources.length > 0 ? each.#sources : [each]))];
            for (const source of signal.#sources) { source.#dependents.add(reference); }
            collected.register(signal, { reference, sources: signal.#sources });
            watch(signal, (type, count) => {
                if (type !== 'abort') { return; }
                signal.#listeners = count;
                signal.#hold();
            });
        }
        static forget({ reference, sources }) {
            for (const source of sources) { source.#dependents.delete(reference); }
        }
        get aborted() { return this.#aborted; }
        get reason() { return this.#reason; }
        throwIfAborted() {
            if (this.#aborted) { throw this.#reason; }
        }
        get onabort() { return this.#onabort?.handler ?? null; }
        set onabort(value) {
            const handler = typeof value === 'function' || typeof value === 'object' ? value : null;
            if (this.#onabort && handler) {
                this.#onabort.handler = handler;
                return;
            }
            if (this.#onabort) { this.removeEventListener('abort', this.#onabort.listener); }
            this.#onabort = null;
            if (!handler) { return; }
            const listener = event => {
                const current = this.#onabort?.handler;
                if (typeof current === 'function') { Reflect.apply(current, this, [event]); }
            };
            this.#onabort = { handler, listener };
            this.addEventListener('abort', listener);
        }
        static abort(reason = undefined) {
            const signal = make();
            raise(signal, reason);
            return signal;
        }
        static timeout(milliseconds) {
            need(arguments.length, 1, 'AbortSignal.timeout');
            const delay = Math.trunc(+milliseconds);
            if (!(delay >= 0 && delay <= Number.MAX_SAFE_INTEGER)) {
                throw new TypeError(`A time limit must be from 0 to 2^53 - 1, not ${milliseconds}`);
            }
            const signal = make();
            load('timers').startTimer(() => raise(signal, domException('The time is over', 'TimeoutError')), delay,
                [], false, 1);
            return signal;
        }
        static any(signals) {
            need(arguments.length, 1, 'AbortSignal.any');
            if (typeof signals?.[Symbol.iterator] !== 'function') {
                throw new TypeError('AbortSignal.any needs a list');
            }
            const list = [...signals];
            if (!list.every(isSignal)) { throw new TypeError('AbortSignal.any needs signals'); }
            const aborted = list.find(signal => signal.#aborted);
            const result = make();
            if (aborted) { raise(result, aborted.#reason); } else { depend(result, list); }
            return result;
        }
    }
    const { make, is: isSignal, add: addAlgorithm, remove: removeAlgorithm, raise, depend, forget } = AbortSignal;
    for (const name of ['make', 'is', 'add', 'remove', 'raise', 'depend', 'forget']) { delete AbortSignal[name]; }
    const collected = new FinalizationRegistry(forget);

    class AbortController {
        #signal = make();
        static has(value) { return #signal in value; }
        get signal() { return this.#signal; }
        abort(reason = undefined) { raise(this.#signal, reason); }
    }
    brands.push(AbortController.has);
    delete AbortController.has;

    return { AbortSignal: expose(AbortSignal), AbortController: expose(AbortController), isSignal, addAlgorithm,
        removeAlgorithm };
};
})()
