// The component's side of capabilities; sets globalThis.__client3NWeb = {
//   ObjectsConnector, makeReceiver: see connector.js; msgProtoType: protobuf.js
//   promiseW3Nclient(clientSide, extraCAPs?) -> Promise<w3n> of the members that the core lists, as objects.js says;
//     an own extraCAPs[name](caller, path) -> capability replaces this for one name
//   makeStartupW3Nclient: the same (a promise, too)
//   makeCapability(caller, path) -> Promise<capability> at a path like ['w3n', 'rpc'], as promiseW3Nclient does it
//   callerSideJSONWrap: {makeReqRepFuncCaller(caller, path) and makeReqRepObjCaller(caller, path, name) ->
//     (...args) => Promise, makeObservableFuncCaller(caller, path) -> (observer, ...args) => unsubscribe}
//   w3nRPC: see rpc.js }
'use strict';
{
const parts = globalThis.__ipcParts;
const { capabilityMethods, objectType, packValues, unpackValues, ipcException } = parts;
const { hasOwn } = Object;
const MAX_DEPTH = 5;

function pack(caller, args) {
    return packValues(args, object => {
        const ref = caller.srvRefOf(object);
        return ref && { ref };
    });
}

// One message has one proxy of an object, however often it is in there.
function unpackAll(caller, body) {
    const known = new Map();
    return unpackValues(body, (ref, props) => {
        const [id] = ref.path;
        if (!known.has(id)) { known.set(id, makeProxy(caller, ref, props)); }
        return known.get(id);
    });
}

function unpack(caller, body) {
    return unpackAll(caller, body)[0];
}

function promiseCall(caller, path, owner) {
    return async (...args) => unpack(caller, await caller.startPromiseCall(path, pack(caller, args), owner));
}

function observe(caller, path, args, observer, owner) {
    const stop = caller.startObservableCall(path, pack(caller, args), {
        next: body => {
            let value;
            try {
                value = unpack(caller, body);
            } catch (err) {
                stop();
                observer?.error?.(err);
                return;
            }
            observer?.next?.(value);
        },
        complete: () => observer?.complete?.(),
        error: err => observer?.error?.(err),
    }, owner);
    return stop;
}

// A promise call whose values on the way go to `tell`.
function callTelling(caller, path, args, tell) {
    return new Promise((resolve, reject) => {
        caller.startObservableCall(path, pack(caller, args), {
            next: body => tell(...unpackAll(caller, body)),
            complete: body => resolve(body),
            error: reject,
        });
    }).then(body => unpack(caller, body));
}

// JSON has no dates.
function withDates(stats) {
    for (const name of ['mtime', 'ctime']) {
        if (hasOwn(stats, name)) { stats[name] = new Date(stats[name]); }
    }
    return stats;
}

function makeMethod(caller, path, method, owner) {
    const call = promiseCall(caller, path, owner);
    if (!method) { return call; }
    const { observable, progress, dates, at } = method;
    if (observable) { return (...args) => observe(caller, path, args.slice(0, at), args[at], owner); }
    if (dates) { return async (...args) => withDates(await call(...args)); }
    if (!progress) { return call; }
    return (...args) => typeof args[at] === 'function'
        ? callTelling(caller, path, args.slice(0, at), args[at]) : call(...args);
}

function addMembers(proxy, caller, path, type, props, owner) {
    for (const name of type.props) {
        if (hasOwn(props, name)) { proxy[name] = props[name]; }
    }
    for (const [name, method] of Object.entries(type.methods)) {
        if (method.writable && !owner.writable) { continue; }
        proxy[name] = makeMethod(caller, [...path, name], method, owner);
    }
    for (const [name, inner] of type.inner) {
        if (!hasOwn(props, name)) { continue; }
        proxy[name] = addMembers({}, caller, [...path, name], objectType(inner), props[name], owner);
    }
    return Object.freeze(proxy);
}

function makeProxy(caller, ref, props = {}) {
    const type = objectType(ref.objType);
    if (!type || ref.path.length !== 1) {
        throw ipcException({ invalidReference: true, message: `Object of unknown type ${ref.objType}` });
    }
    const proxy = {};
    if (type.methods.next) { proxy[Symbol.asyncIterator] = () => proxy; }
    addMembers(proxy, caller, ref.path, type, props, proxy);
    caller.registerClientDrop(proxy, ref);
    if (!type.methods.wait) { return proxy; }
    const result = proxy.wait();
    // Who does not look at it is not ended by its rejection.
    result.catch(() => {});
    return result;
}

// The members as entries: an object with a member named `then` must not be what a promise resolves to.
async function memberEntries(caller, path, names, extraCAPs = {}) {
    const methods = capabilityMethods(path.slice(1).join('.'));
    return Promise.all(names.map(async name => {
        const inner = [...path, name];
        if (hasOwn(extraCAPs, name)) { return [name, await extraCAPs[name](caller, inner)]; }
        const method = methods[name];
        const members = method || path.length > MAX_DEPTH ? undefined : await listObj(caller, inner);
        if (!members) { return [name, makeMethod(caller, inner, method)]; }
        return [name, Object.fromEntries(await memberEntries(caller, inner, members))];
    }));
}

function listObj(caller, path) {
    return (caller.listObjAsync ?? caller.listObj)(path);
}

// w3n.log: always to the component's console, and to the platform where the core has it.
function withConsole(platformLog) {
    return async (type, msg, err) => {
        const level = type === 'error' ? 'error' : type === 'warning' ? 'warn' : 'info';
        console[level](...(err === undefined ? [msg] : [msg, err]));
        const { name, message, stack } = err instanceof Error ? err : {};
        await platformLog?.(type, msg, ...(err === undefined ? [] : [name ? { ...err, name, message, stack } : err]));
    };
}

async function promiseW3Nclient({ caller }, extraCAPs) {
    const names = await listObj(caller, ['w3n']) ?? [];
    const entries = await memberEntries(caller, ['w3n'], names.filter(name => name !== 'then'), extraCAPs);
    const w3n = Object.fromEntries(entries);
    w3n.log = withConsole(w3n.log);
    return w3n;
}

globalThis.__client3NWeb = Object.freeze({
    ObjectsConnector: parts.ObjectsConnector,
    makeReceiver: parts.makeReceiver,
    msgProtoType: parts.msgProtoType,
    promiseW3Nclient,
    makeStartupW3Nclient: promiseW3Nclient,
    makeCapability: async (caller, path) => (await memberEntries(caller, path.slice(0, -1), path.slice(-1)))[0][1],
    callerSideJSONWrap: Object.freeze({
        makeReqRepFuncCaller: (caller, path) => promiseCall(caller, path),
        makeReqRepObjCaller: (caller, path, name) => promiseCall(caller, [...path, name]),
        makeObservableFuncCaller: (caller, path) => (observer, ...args) => observe(caller, path, args, observer),
    }),
    w3nRPC: parts.w3nRPC,
});
delete globalThis.__ipcParts;
}
