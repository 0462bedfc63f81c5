// The exposing half of a connection; the core's bundle has it, a component's needs none.
// __ipcParts += {Services}; new Services(reply, openCalls = 4096) where reply(msgType, num, body?) never throws and gives what the
// connection's sink gave.
// api = {
//   exposeW3NService(exposed): once
//   exposeDroppableService(objType, exposed, original, onDrop?) -> ref {objType, path: [id]}; onDrop runs once, when
//     the other side dropped the object or the connection ended, also if that was before: ipcNotConnected
//   getOriginalObj(ref), getObjForTransfer(ref) -> {type, o}: throw invalidReference if this connection did not make it
//   findRefIfAlreadyExposed(original) -> ref?, listObj(path) -> names or null, countOpenCalls() -> calls unanswered }
// exposed: a function body? -> {promise} | {obs, onCancel?} | undefined, or an object of such; obs.subscribe({next,
// complete(body?), error}) -> {unsubscribe}, and next gives what reply gave, or false when the call is over. Own
// members only, so that __proto__, constructor, then, ... are ordinary names.
// A call is answered with an ipc exception: duplicateFnCallNum, invalidPath, objectNotFound, callFnNotFound, and
// quotaExceeded (more than `openCalls` open calls or 16384 exposed objects). Calls of an IncomingRPCConnection, which end at
// once, have as many places of their own: a component whose other calls wait for replies must still be able to reply.
'use strict';
{
const parts = globalThis.__ipcParts;
const { ipcException, packError } = parts;
const { hasOwn } = Object;
const MAX_OBJECTS = 16384;
const MAX_PATH = 32;
const MAX_NAME = 1024;

function isPath(path) {
    return Array.isArray(path) && path.length > 0 && path.length <= MAX_PATH
        && path.every(name => typeof name === 'string' && name.length <= MAX_NAME);
}

function tooMany(limit, what) {
    return ipcException({ quotaExceeded: true, message: `More than ${limit} ${what}` });
}

function randomId() {
    return Array.from(crypto.getRandomValues(new Uint8Array(12)), byte => byte.toString(36)).join('');
}

class Services {
    #objects = new Map();
    #refs = new WeakMap();
    #calls = new Map();
    #prefix;
    #lastId = 0;
    #isStopped = false;
    #reply;
    #mostCalls;

    constructor(reply, openCalls = 4096) {
        this.#reply = reply;
        this.#mostCalls = openCalls;
    }

    get api() {
        return {
            exposeW3NService: exposed => {
                if (this.#objects.has('w3n')) { throw new Error('w3n has already been exposed'); }
                this.#objects.set('w3n', { exposed });
            },
            exposeDroppableService: (type, exposed, original, onDrop) => this.#expose(type, exposed, original, onDrop),
            getOriginalObj: ref => this.#find(ref).original,
            getObjForTransfer: ref => ({ type: ref?.objType, o: this.#find(ref).original }),
            findRefIfAlreadyExposed: original => this.#refs.get(original),
            listObj: path => this.#list(path),
            countOpenCalls: () => this.#calls.size,
        };
    }

    // Ids of one connection share a random prefix: another connection's ids never match.
    #expose(type, exposed, original, onDrop) {
        if (this.#isStopped || this.#objects.size >= MAX_OBJECTS) {
            this.#dropped({ onDrop });
            throw this.#isStopped ? ipcException({ ipcNotConnected: true }) : tooMany(MAX_OBJECTS, 'exposed objects');
        }
        this.#prefix ??= randomId();
        const ref = { objType: type, path: [`${this.#prefix}-${this.#lastId += 1}`] };
        this.#objects.set(ref.path[0], { type, exposed, original, onDrop });
        this.#refs.set(original, ref);
        return ref;
    }

    #find(ref) {
        const entry = isPath(ref?.path) && ref.path.length === 1 ? this.#objects.get(ref.path[0]) : undefined;
        if (entry?.type && entry.type === ref.objType) { return entry; }
        throw ipcException({ invalidReference: true, message: 'Reference to an object of no or another connection' });
    }

    #at(path) {
        let found = this.#objects.get(path[0])?.exposed;
        for (let i = 1; i < path.length && found; i += 1) {
            found = typeof found === 'object' && hasOwn(found, path[i]) ? found[path[i]] : undefined;
        }
        return found;
    }

    #list(path) {
        const found = isPath(path) ? this.#at(path) : undefined;
        return found && typeof found === 'object' ? Object.keys(found) : null;
    }

    list(num, path) {
        const names = this.#list(path);
        if (names) {
            this.#reply('end', num, parts.encode(parts.types.StringArrayValue, { values: names }));
        } else {
            this.#reply('error', num, packError(ipcException({ objectNotFound: true, path })));
        }
    }

    drop(id) {
        const entry = this.#objects.get(id);
        if (!entry?.type) { return; }
        this.#objects.delete(id);
        this.#dropped(entry);
    }

    #dropped({ original, onDrop }) {
        if (original) { this.#refs.delete(original); }
        try {
            onDrop?.();
        } catch (err) {
            reportError(err);
        }
    }

    #functionAt(path) {
        if (!isPath(path)) { throw ipcException({ invalidPath: true }); }
        const fn = this.#at(path);
        if (typeof fn === 'function') { return fn; }
        const holder = this.#at(path.length > 1 ? path.slice(0, -1) : path);
        throw ipcException(holder ? { callFnNotFound: true, path } : { objectNotFound: true, path });
    }

    start(num, path, body) {
        if (this.#calls.has(num)) {
            this.#reply('error', num, packError(ipcException({ duplicateFnCallNum: true })));
            return;
        }
        const call = { onCancel: undefined };
        const isReply = this.#objects.get(path?.[0])?.type === 'IncomingRPCConnection';
        const full = this.#calls.size >= (isReply ? 2 * this.#mostCalls : this.#mostCalls);
        this.#calls.set(num, call);
        try {
            if (full) { throw tooMany(this.#mostCalls, 'open calls'); }
            this.#follow(call, num, this.#functionAt(path)(body) ?? {});
        } catch (err) {
            this.#end(call, num, 'error', packError(err));
        }
    }

    #follow(call, num, { promise, obs, onCancel }) {
        const fail = err => this.#end(call, num, 'error', packError(err));
        if (!obs) {
            Promise.resolve(promise).then(result => this.#end(call, num, 'end', result), fail);
            return;
        }
        call.onCancel = onCancel;
        const subscription = obs.subscribe({
            next: value => this.#calls.get(num) === call && this.#reply('interim', num, value),
            complete: body => this.#end(call, num, 'end', body),
            error: fail,
        });
        call.onCancel = () => {
            onCancel?.();
            subscription?.unsubscribe();
        };
    }

    #end(call, num, type, body) {
        if (this.#calls.get(num) !== call) { return; }
        this.#calls.delete(num);
        this.#reply(type, num, body);
    }

    cancel(num) {
        const call = this.#calls.get(num);
        this.#calls.delete(num);
        try {
            call?.onCancel?.();
        } catch (err) {
            reportError(err);
        }
    }

    stop() {
        this.#isStopped = true;
        for (const num of [...this.#calls.keys()]) { this.cancel(num); }
        const entries = [...this.#objects.values()];
        this.#objects.clear();
        for (const entry of entries) { this.#dropped(entry); }
    }
}

parts.Services = Services;
}
