// The client's half of the tests' own pair of bundles, which stands beside this file: what is loaded in a component's
// process before the platform's last script.
var __client3NWeb = (() => {
'use strict';

function must(isSo, what) {
    if (!isSo) { throw new Error(`this host ${what}`); }
}

class Buffer extends Uint8Array {
    static from(source, offset, length) {
        if (typeof source === 'string') { return Buffer.from(new TextEncoder().encode(source).buffer); }
        return source instanceof ArrayBuffer ? new Buffer(source, offset, length) : new Buffer(source);
    }

    toString() { return new TextDecoder().decode(this); }
}

const toJSON = value => JSON.stringify(value, (_, v) => (v instanceof Uint8Array ? { $b: v.toBase64() } : v));
const fromJSON = text => JSON.parse(text, (_, v) => (
    typeof v?.$b === 'string' ? Buffer.from(Uint8Array.fromBase64(v.$b).buffer) : v));
const packBody = value => Buffer.from(toJSON([value]));
const unpackBody = body => (body ? fromJSON(Buffer.from(body).toString())[0] : undefined);

const msgProtoType = Object.freeze({
    pack: envelope => Buffer.from(toJSON(envelope)),
    unpack(bytes) {
        must(bytes instanceof Buffer, 'hands over a message that is no Buffer of this bundle');
        return fromJSON(bytes.toString());
    },
});

const dropped = new FinalizationRegistry(drop => drop());

class ObjectsConnector {
    /** What it gives is the caller itself, as in some versions of the library. */
    static makeClientSide(fromClient, toClient, listObj, listObjAsync) {
        must((listObj === undefined) !== (listObjAsync === undefined), 'gives no listObj or listObjAsync, or both');
        const calls = new Map();
        const refs = new WeakMap();
        let lastNumber = 0;
        const send = (msgType, number, path, body) => fromClient.next({
            headers: { msgType, ...(number && { fnCallNum: { value: number } }), ...(path && { path }) },
            ...(body && { body: { value: body } }),
        });
        const errorOf = body => {
            const { exception, text } = unpackBody(body);
            return exception ?? new Error(text);
        };
        toClient.subscribe({
            next({ headers: { msgType, fnCallNum }, body }) {
                const call = calls.get(fnCallNum.value);
                if (msgType !== 'interim') { calls.delete(fnCallNum.value); }
                if (msgType === 'interim') { call?.next(body?.value); }
                if (msgType === 'end') { call?.complete(body?.value); }
                if (msgType === 'error') { call?.error(errorOf(body?.value)); }
            },
            complete() {},
            error() {},
        });
        const start = (path, body, observer) => {
            lastNumber += 1;
            calls.set(lastNumber, observer);
            send('start', lastNumber, path, body);
            return lastNumber;
        };
        return Object.freeze({
            startPromiseCall: (path, body) => new Promise((complete, error) => {
                start(path, body, { complete, error, next() {} });
            }),
            startObservableCall(path, body, observer) {
                const number = start(path, body, {
                    next: value => observer.next?.(value), complete: () => observer.complete?.(),
                    error: error => observer.error?.(error),
                });
                return () => { if (calls.delete(number)) { send('cancel', number); } };
            },
            registerClientDrop(object, ref) {
                refs.set(object, ref);
                dropped.register(object, () => send('drop', undefined, ref.path));
            },
            srvRefOf: object => refs.get(object),
            listObj, listObjAsync,
        });
    }
}

const promiseCall = (caller, path) => async (...args) =>
    unpackBody(await caller.startPromiseCall(path, packBody(args)));

function fsOver(caller, ref) {
    const names = ['writeBytes', 'readBytes', 'writeTxtFile', 'readTxtFile', 'listFolder'];
    const object = Object.fromEntries(names.map(name => [name, promiseCall(caller, [...ref.path, name])]));
    const inner = promiseCall(caller, [...ref.path, 'writableSubRoot']);
    object.writableSubRoot = async path => fsOver(caller, await inner(path));
    caller.registerClientDrop(object, ref);
    return object;
}

const makers = {
    log: (caller, path) => promiseCall(caller, path),
    mailerid: (caller, path) => ({ getUserId: promiseCall(caller, [...path, 'getUserId']) }),
    storage(caller, path) {
        const get = promiseCall(caller, [...path, 'getAppLocalFS']);
        return { getAppLocalFS: async (...args) => fsOver(caller, await get(...args)) };
    },
};

async function promiseW3Nclient(caller, extraCAPs) {
    must(typeof caller.listObjAsync === 'function', 'gives promiseW3Nclient no caller with listObjAsync');
    const w3n = {};
    for (const name of await caller.listObjAsync(['w3n'])) {
        const make = makers[name] ?? extraCAPs?.[name];
        must(typeof make === 'function', `lends no maker of ${name}`);
        w3n[name] = await make(caller, ['w3n', name]);
    }
    const { log } = w3n;
    w3n.log = async (type, text, ...rest) => {
        console.log(`log of the client: ${type} ${text}`);
        await log?.(type, text, ...rest);
    };
    return w3n;
}

return {
    ObjectsConnector, msgProtoType, Buffer, promiseW3Nclient, makeStartupW3Nclient: promiseW3Nclient,
    callerSideJSONWrap: Object.freeze({ makeReqRepFuncCaller: promiseCall }),
};
})();
