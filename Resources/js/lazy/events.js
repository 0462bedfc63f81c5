// Events: Event, EventTarget, CustomEvent, AbortController, AbortSignal, and the global object as an event target.
(() => {
'use strict';
return ({ native, reportError, domException }) => {
    class Event {
        #stopped = false;
        target = null;
        currentTarget = null;
        defaultPrevented = false;
        timeStamp = native.now();
        constructor(type, { bubbles = false, cancelable = false } = {}) {
            Object.assign(this, { type: String(type), bubbles: !!bubbles, cancelable: !!cancelable });
        }
        preventDefault() {
            if (this.cancelable) { this.defaultPrevented = true; }
        }
        stopPropagation() {}
        stopImmediatePropagation() { this.#stopped = true; }
        static isStopped(event) { return event.#stopped; }
    }
    const { isStopped } = Event;
    delete Event.isStopped;

    class CustomEvent extends Event {
        constructor(type, { detail = null, ...init } = {}) {
            super(type, init);
            this.detail = detail;
        }
    }

    function invoke(listener, target, event) {
        try {
            if (typeof listener === 'function') {
                listener.call(target, event);
            } else {
                listener.handleEvent(event);
            }
        } catch (err) {
            reportError(err);
        }
    }

    class EventTarget {
        #listeners = new Map();
        addEventListener(type, listener, options) {
            if (!listener) { return; }
            const { once = false, signal, capture = options === true } = Object(options);
            const list = this.#listeners.get(type) ?? [];
            const isThere = list.some(each => each.listener === listener && each.capture === !!capture);
            if (isThere || signal?.aborted) { return; }
            this.#listeners.set(type, [...list, { listener, once, capture: !!capture }]);
            signal?.addEventListener('abort', () => this.removeEventListener(type, listener, options));
        }
        removeEventListener(type, listener, options) {
            const capture = options === true || !!Object(options).capture;
            this.#filter(type, each => each.listener !== listener || each.capture !== capture);
        }
        #filter(type, keep) {
            this.#listeners.set(type, (this.#listeners.get(type) ?? []).filter(keep));
        }
        dispatchEvent(event) {
            event.target = event.currentTarget = this === globalTarget ? globalThis : this;
            for (const entry of this.#listeners.get(event.type) ?? []) {
                if (isStopped(event)) { break; }
                if (!this.#listeners.get(event.type).includes(entry)) { continue; }
                if (entry.once) { this.#filter(event.type, each => each !== entry); }
                invoke(entry.listener, event.target, event);
            }
            event.currentTarget = null;
            return !event.defaultPrevented;
        }
    }
    const globalTarget = new EventTarget();

    class AbortSignal extends EventTarget {
        aborted = false;
        reason = undefined;
        onabort = null;
        throwIfAborted() {
            if (this.aborted) { throw this.reason; }
        }
        static abort(reason) {
            const controller = new AbortController();
            controller.abort(reason);
            return controller.signal;
        }
        static timeout(millis) {
            const controller = new AbortController();
            setTimeout(() => controller.abort(domException('The time is over', 'TimeoutError')), millis);
            return controller.signal;
        }
        static any(signals) {
            const controller = new AbortController();
            for (const signal of signals) {
                if (signal.aborted) { return AbortSignal.abort(signal.reason); }
                signal.addEventListener('abort', () => controller.abort(signal.reason), { signal: controller.signal });
            }
            return controller.signal;
        }
    }

    class AbortController {
        signal = new AbortSignal();
        abort(reason = domException('This was aborted', 'AbortError')) {
            const { signal } = this;
            if (signal.aborted) { return; }
            Object.assign(signal, { aborted: true, reason });
            const event = new Event('abort');
            if (typeof signal.onabort === 'function') { invoke(signal.onabort, signal, event); }
            signal.dispatchEvent(event);
        }
    }

    // Tells listeners of `error` or `unhandledrejection`; true if one of them prevented the default.
    function dispatchFailure(kind, value, promise) {
        const event = new Event(kind === 'error' ? 'error' : 'unhandledrejection', { cancelable: true });
        const { message, sourceURL: filename = '', line: lineno = 0, column: colno = 0 } = Object(value);
        Object.assign(event, kind === 'error'
            ? { error: value, message: String(message ?? value), filename, lineno, colno }
            : { reason: value, promise });
        globalTarget.dispatchEvent(event);
        return event.defaultPrevented;
    }

    return {
        Event, EventTarget, CustomEvent, AbortController, AbortSignal, dispatchFailure,
        addEventListener: (...args) => globalTarget.addEventListener(...args),
        removeEventListener: (...args) => globalTarget.removeEventListener(...args),
        dispatchEvent: event => globalTarget.dispatchEvent(event),
    };
};
})()
