// The calling half of a connection.
// __ipcParts += {Calls}; new Calls(send) where send(msgType, num?, path?, body?) throws if it cannot.
// api(listObj?, listObjAsync?) = {
//   startPromiseCall(path, body?, owner?) -> Promise<body?>
//   startObservableCall(path, body?, observer {next(body?), complete(body?), error}, owner?) -> cancel()
//   registerClientDrop(proxy, ref): sends `drop` once proxy was collected; an open call keeps its owner from that
//   srvRefOf(proxy) -> ref?, findCallingObjByRef(ref) -> {obj}?, listObj(path) -> names (if given),
//   listObjAsync(path) -> Promise<names or null> (by default a list-obj message) }
// A number that the other side has in use is replaced by another, at most 100 times.
'use strict';
{
const parts = globalThis.__ipcParts;
const MAX_RETRIES = 100;

class Calls {
    #calls = new Map();
    #lastNum = 0;
    #send;
    #refs = new WeakMap();
    #proxies = new Map();
    #registry;

    constructor(send) {
        this.#send = send;
        this.#registry = new FinalizationRegistry(id => {
            this.#proxies.delete(id);
            this.#sendIfConnected('drop', undefined, [id]);
        });
    }

    api(listObj, listObjAsync) {
        return {
            startPromiseCall: (path, body, owner) => this.#promise('start', path, body, owner),
            startObservableCall: (path, body, observer, owner) => this.#observe(path, body, observer, owner),
            registerClientDrop: (proxy, ref) => {
                this.#refs.set(proxy, ref);
                this.#proxies.set(ref.path[0], new WeakRef(proxy));
                this.#registry.register(proxy, ref.path[0]);
            },
            srvRefOf: proxy => this.#refs.get(proxy),
            findCallingObjByRef: ref => {
                const obj = this.#proxies.get(ref.path[0])?.deref();
                return obj && { obj };
            },
            listObj,
            listObjAsync: listObjAsync ?? (listObj ? undefined : path => this.#promise('list-obj', path)
                .then(body => parts.decode(parts.types.StringArrayValue, body).values ?? [])),
        };
    }

    #promise(type, path, body, owner) {
        return new Promise((resolve, reject) => {
            this.#begin({ type, path, body, owner, resolve, reject, retries: 0 });
        });
    }

    #observe(path, body, observer, owner) {
        const call = { type: 'start', path, body, owner, retries: 0 };
        call.next = value => observer.next?.(value);
        call.resolve = body => observer.complete?.(body);
        call.reject = err => observer.error?.(err);
        try {
            this.#begin(call);
        } catch (err) {
            Promise.resolve().then(() => call.reject(err));
        }
        return () => {
            if (this.#calls.get(call.num) !== call) { return; }
            this.#calls.delete(call.num);
            this.#sendIfConnected('cancel', call.num);
        };
    }

    // Without a connection there is nothing to cancel or drop: it all ended with the connection.
    #sendIfConnected(type, num, path) {
        try {
            this.#send(type, num, path);
        } catch (err) {
            if (!err?.ipcNotConnected) { throw err; }
        }
    }

    #begin(call) {
        do {
            this.#lastNum = this.#lastNum < Number.MAX_SAFE_INTEGER ? this.#lastNum + 1 : 1;
        } while (this.#calls.has(this.#lastNum));
        call.num = this.#lastNum;
        this.#calls.set(call.num, call);
        try {
            this.#send(call.type, call.num, call.path, call.body);
        } catch (err) {
            this.#calls.delete(call.num);
            throw err;
        }
    }

    #take(num) {
        const call = this.#calls.get(num);
        this.#calls.delete(num);
        return call;
    }

    interim(num, body) {
        this.#calls.get(num)?.next?.(body);
    }

    end(num, body) {
        this.#take(num)?.resolve(body);
    }

    error(num, body) {
        const call = this.#take(num);
        if (!call) { return; }
        const err = parts.unpackError(body);
        if (err.type !== 'ipc' || !err.duplicateFnCallNum || (call.retries += 1) > MAX_RETRIES) {
            call.reject(err);
            return;
        }
        try {
            this.#begin(call);
        } catch (failure) {
            call.reject(failure);
        }
    }

    stop(exc) {
        const calls = [...this.#calls.values()];
        this.#calls.clear();
        for (const call of calls) {
            try {
                call.reject(exc);
            } catch (err) {
                reportError(err);
            }
        }
    }
}

parts.Calls = Calls;
}
