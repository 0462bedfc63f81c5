// The last script before a component's own code: connects it with the core and leaves it `w3n`, `w3nRPC` and `Deno`.
'use strict';
{

const { ObjectsConnector, msgProtoType, promiseW3Nclient, w3nRPC } = globalThis.__client3NWeb;
const send = globalThis.__portSend_core;
const callPort = globalThis.__nativeCallDispatch;
const port = async (name, ...args) => callPort(name, args);

// Nothing of these is a component's business.
delete globalThis.__nativeCallDispatch;
delete globalThis.__portSend_core;
// A bundle that declares it as `var` keeps the name, which then has nothing.
globalThis.__client3NWeb = undefined;
Reflect.deleteProperty(globalThis, '__client3NWeb');

let fromCore;
globalThis.__portRecv_core = bytes => fromCore?.next(msgProtoType.unpack(bytes));

const clientSide = ObjectsConnector.makeClientSide(
    { next: envelope => { send(msgProtoType.pack(envelope)); }, complete() {}, error() {} },
    {
        subscribe(observer) {
            fromCore = observer;
            return { unsubscribe() { fromCore = undefined; } };
        },
    },
    undefined,
    path => port('ipc_listCoreObjPath', path),
);

/** Closing is the child's own: what was sent before is delivered, then the process ends with 0. */
const closeSelf = () => port('ipc_disconnectFromCore');

function frozen(value) {
    if (typeof value === 'object' && value !== null) { Object.values(value).forEach(frozen); }
    return Object.freeze(value);
}

const publish = (name, value) => Object.defineProperty(globalThis, name, { value, enumerable: true });

const preloadInit = promiseW3Nclient(clientSide).then(w3n => {
    publish('w3n', frozen({ ...w3n, closeSelf }));
    publish('w3nRPC', w3nRPC);
});

globalThis._awaitPreloadInit = () => {
    delete globalThis._awaitPreloadInit;
    return preloadInit;
};

/** What a component says of itself to whoever runs the platform. */
publish('w3nHost', frozen({
    status: text => callPort('host_status', [String(text)]),
    extendStart: millis => callPort('host_extendStart', [millis]),
    ready: () => callPort('host_ready', []),
}));

const env = new Map();

/** What components made for Deno look at; no file, network or process is behind it. */
globalThis.Deno = {
    env: {
        get: name => env.get(name),
        set(name, value) { env.set(name, String(value)); },
        has: name => env.has(name),
        delete(name) { env.delete(name); },
        toObject: () => Object.fromEntries(env),
    },
    args: [],
    version: { deno: '', v8: '', typescript: '' },
    build: { os: 'linux', arch: 'x86_64', vendor: 'unknown', target: 'x86_64-unknown-linux-gnu' },
    exit() { closeSelf(); },
};
}
