// Events after the DOM Standard, for targets without parents; the global object is one of them.
(() => {
'use strict';
return ({ native, load, need, record, expose, domException, brands }) => {
    const PHASES = { NONE: 0, CAPTURING_PHASE: 1, AT_TARGET: 2, BUBBLING_PHASE: 3 };

    class Event {
        #state;
        constructor(type, init = undefined) {
            need(arguments.length, 1, 'Event');
            const name = `${type}`;
            const { bubbles = false, cancelable = false, composed = false } = record(init);
            this.#state = {
                type: name, bubbles: !!bubbles, cancelable: !!cancelable, composed: !!composed, timeStamp: native.now(),
                target: null, currentTarget: null, phase: PHASES.NONE, isTrusted: false, isDispatched: false,
                isStopped: false, isStoppedAtOnce: false, isCanceled: false, isPassive: false,
            };
        }
        static stateOf(event) { return event.#state; }
        static has(value) { return #state in value; }
        get type() { return this.#state.type; }
        get target() { return this.#state.target; }
        get srcElement() { return this.#state.target; }
        get currentTarget() { return this.#state.currentTarget; }
        composedPath() { return this.#state.currentTarget === null ? [] : [this.#state.currentTarget]; }
        get eventPhase() { return this.#state.phase; }
        stopPropagation() { this.#state.isStopped = true; }
        get cancelBubble() { return this.#state.isStopped; }
        set cancelBubble(value) { this.#state.isStopped ||= !!value; }
        stopImmediatePropagation() { this.#state.isStopped = this.#state.isStoppedAtOnce = true; }
        get bubbles() { return this.#state.bubbles; }
        get cancelable() { return this.#state.cancelable; }
        get returnValue() { return !this.#state.isCanceled; }
        set returnValue(value) {
            if (!value) { this.preventDefault(); }
        }
        preventDefault() {
            const state = this.#state;
            state.isCanceled ||= state.cancelable && !state.isPassive;
        }
        get defaultPrevented() { return this.#state.isCanceled; }
        get composed() { return this.#state.composed; }
        get isTrusted() { return this.#state.isTrusted; }
        get timeStamp() { return this.#state.timeStamp; }
        initEvent(type, bubbles = false, cancelable = false) {
            need(arguments.length, 1, 'initEvent');
            if (this.#state.isDispatched) { return; }
            Object.assign(this.#state, {
                type: `${type}`, bubbles: !!bubbles, cancelable: !!cancelable, target: null, isTrusted: false,
                isStopped: false, isStoppedAtOnce: false, isCanceled: false,
            });
        }
    }
    const { stateOf } = Event;
    brands.push(Event.has);
    delete Event.stateOf;
    delete Event.has;
    for (const [name, value] of Object.entries(PHASES)) {
        for (const owner of [Event, Event.prototype]) {
            Object.defineProperty(owner, name, { value, enumerable: true });
        }
    }

    class CustomEvent extends Event {
        #detail;
        constructor(type, init = undefined) {
            need(arguments.length, 1, 'CustomEvent');
            super(type, init);
            this.#detail = record(init).detail ?? null;
        }
        get detail() { return this.#detail; }
        initCustomEvent(type, bubbles = false, cancelable = false, detail = null) {
            need(arguments.length, 1, 'initCustomEvent');
            if (stateOf(this).isDispatched) { return; }
            this.initEvent(type, bubbles, cancelable);
            this.#detail = detail;
        }
    }

    class ErrorEvent extends Event {
        #members;
        constructor(type, init = undefined) {
            need(arguments.length, 1, 'ErrorEvent');
            super(type, init);
            const { message = '', filename = '', lineno = 0, colno = 0, error } = record(init);
            this.#members = {
                message: `${message}`, filename: `${filename}`, lineno: lineno >>> 0, colno: colno >>> 0, error,
            };
        }
        get message() { return this.#members.message; }
        get filename() { return this.#members.filename; }
        get lineno() { return this.#members.lineno; }
        get colno() { return this.#members.colno; }
        get error() { return this.#members.error; }
    }

    class PromiseRejectionEvent extends Event {
        #promise;
        #reason;
        constructor(type, init) {
            need(arguments.length, 2, 'PromiseRejectionEvent');
            super(type, init);
            if (!('promise' in record(init))) { throw new TypeError('PromiseRejectionEvent needs a promise'); }
            this.#promise = init.promise;
            this.#reason = init.reason;
        }
        get promise() { return this.#promise; }
        get reason() { return this.#reason; }
    }

    function isObject(value) {
        return typeof value === 'function' || (typeof value === 'object' && value !== null);
    }

    function captureOf(options) {
        return !!(isObject(options) ? options.capture : options);
    }

    function invoke({ listener }, target, event) {
        try {
            if (typeof listener === 'function') {
                Reflect.apply(listener, target, [event]);
                return;
            }
            const { handleEvent } = listener;
            if (typeof handleEvent !== 'function') { throw new TypeError('A listener has no function handleEvent'); }
            Reflect.apply(handleEvent, listener, [event]);
        } catch (err) {
            native.reportError(err);
        }
    }

    class EventTarget {
        // Type to listeners, in the order in which they were added.
        #listeners = new Map();
        // Told of the number of listeners of a type that has changed.
        #watch;
        static has(value) { return #listeners in value; }
        static watch(target, watch) { target.#watch = watch; }
        static fire(target, event) {
            stateOf(event).isTrusted = true;
            return target.#dispatch(event);
        }
        addEventListener(type, callback, options = undefined) {
            need(arguments.length, 2, 'addEventListener');
            const name = `${type}`;
            const capture = captureOf(options);
            const { once = false, passive = false, signal } = isObject(options) ? options : {};
            if (signal !== undefined && !load('abort').isSignal(signal)) {
                throw new TypeError('The signal of a listener must be an AbortSignal');
            }
            if (callback === null || callback === undefined) { return; }
            if (!isObject(callback)) { throw new TypeError('A listener must be a function or an object'); }
            const list = this.#listeners.get(name) ?? [];
            const isThere = list.some(each => each.listener === callback && each.capture === capture);
            if (isThere || signal?.aborted) { return; }
            const entry = { listener: callback, capture, once: !!once, passive: !!passive, isRemoved: false };
            if (signal !== undefined) {
                const abort = () => this.#remove(name, entry);
                entry.release = () => load('abort').removeAlgorithm(signal, abort);
                load('abort').addAlgorithm(signal, abort);
            }
            list.push(entry);
            this.#listeners.set(name, list);
            this.#watch?.(name, list.length);
        }
        removeEventListener(type, callback, options = undefined) {
            need(arguments.length, 2, 'removeEventListener');
            const name = `${type}`;
            const capture = captureOf(options);
            const list = this.#listeners.get(name) ?? [];
            const entry = list.find(each => each.listener === callback && each.capture === capture);
            if (entry) { this.#remove(name, entry); }
        }
        #remove(name, entry) {
            const list = this.#listeners.get(name) ?? [];
            const at = list.indexOf(entry);
            if (at < 0) { return; }
            entry.isRemoved = true;
            entry.release?.();
            list.splice(at, 1);
            if (list.length === 0) { this.#listeners.delete(name); }
            this.#watch?.(name, list.length);
        }
        dispatchEvent(event) {
            need(arguments.length, 1, 'dispatchEvent');
            this.#listeners;
            if (!isObject(event)) { throw new TypeError('dispatchEvent needs an Event'); }
            const state = stateOf(event);
            if (state.isDispatched) {
                throw domException('The event is under way already', 'InvalidStateError');
            }
            state.isTrusted = false;
            return this.#dispatch(event);
        }
        #dispatch(event) {
            const state = stateOf(event);
            const target = this === globalTarget ? globalThis : this;
            Object.assign(state, { isDispatched: true, target, currentTarget: target, phase: PHASES.AT_TARGET });
            this.#invokeAll(true, event, state);
            this.#invokeAll(false, event, state);
            Object.assign(state, {
                isDispatched: false, currentTarget: null, phase: PHASES.NONE, isStopped: false, isStoppedAtOnce: false,
            });
            return !state.isCanceled;
        }
        #invokeAll(capture, event, state) {
            if (state.isStopped) { return; }
            const { type } = state;
            for (const entry of [...this.#listeners.get(type) ?? []]) {
                if (entry.capture !== capture || entry.isRemoved) { continue; }
                if (entry.once) { this.#remove(type, entry); }
                state.isPassive = entry.passive;
                invoke(entry, state.currentTarget, event);
                state.isPassive = false;
                if (state.isStoppedAtOnce) { return; }
            }
        }
    }
    const { watch, fire } = EventTarget;
    brands.push(EventTarget.has);
    delete EventTarget.has;
    delete EventTarget.watch;
    delete EventTarget.fire;
    const globalTarget = new EventTarget();

    // Tells listeners of `error` or `unhandledrejection`; true if one of them prevented the default.
    function dispatchFailure(kind, value, promise) {
        if (kind !== 'error') {
            const init = { cancelable: true, promise, reason: value };
            return !fire(globalTarget, new PromiseRejectionEvent('unhandledrejection', init));
        }
        const { message = value, sourceURL: filename, line: lineno, column: colno } = Object(value);
        const init = { cancelable: true, message: String(message), filename, lineno, colno, error: value };
        return !fire(globalTarget, new ErrorEvent('error', init));
    }

    for (const made of [Event, CustomEvent, ErrorEvent, PromiseRejectionEvent, EventTarget]) { expose(made); }
    const methods = {
        addEventListener(type, callback, ...options) { globalTarget.addEventListener(...arguments); },
        removeEventListener(type, callback, ...options) { globalTarget.removeEventListener(...arguments); },
        dispatchEvent(event) { return globalTarget.dispatchEvent(...arguments); },
    };
    return {
        Event, CustomEvent, ErrorEvent, PromiseRejectionEvent, EventTarget, ...methods, dispatchFailure, watch, fire,
    };
};
})()
