// The core's side of capabilities; sets globalThis.__core3NWeb.ipc = {
//   ObjectsConnector, makeReceiver: see connector.js; msgProtoType: protobuf.js
//   exposeW3N(coreSide, w3n, extraCAPs?), exposeStartupW3N: the same
//     w3n is a tree of objects with functions that return values or promises. Observable ones (objects.js) take
//     (…args, observer) and return a function that unsubscribes. What objects.js names becomes a reference.
//     An own extraCAPs[name](cap, exposedServices) -> exposed (services.js) replaces this for one capability.
//   serviceSideJSONWrap: {wrapReqReplyFunc(fn) or (srv, fn), wrapReqReplySrvMethod(srv, name),
//     wrapObservingFunc(fn) or (srv, fn)} -> exposed function; an observing fn is (observer, …args) -> unsubscribe
//   valuesSequence: {pack([values]) -> bytes, unpack(bytes?) -> [values]}
//   ipcException(fields) }
(() => {
'use strict';
const parts = globalThis.__ipcParts;
const { capabilityMethods, objectType, packValues, unpackValues } = parts;
const { hasOwn } = Object;
const PLAIN = { observable: false, returns: '' };
const MAX_DEPTH = 5;

// The obj_type of each object that was ever exposed, so that it can be passed on to another component.
const typeOfOriginal = new WeakMap();

function propsOf(original, type) {
    const props = {};
    for (const name of type.props) {
        if (original[name] !== undefined) { props[name] = original[name]; }
    }
    return props;
}

function exposeObject(services, original, typeName) {
    const type = objectType(typeName);
    const exposed = exposeMembers(services, original, type.methods, []);
    const onDrop = type.closeOnDrop ? () => original.close?.() : undefined;
    typeOfOriginal.set(original, typeName);
    const ref = services.exposeDroppableService(typeName, exposed, original, onDrop);
    return { ref, props: propsOf(original, type) };
}

function packResult(services, result, returns) {
    if (result === undefined) { return undefined; }
    return packValues([result], object => {
        const typeName = object === result && returns ? returns : typeOfOriginal.get(object);
        return typeName && exposeObject(services, object, typeName);
    });
}

function exposeFunction(services, holder, name, { observable, returns }) {
    const argsOf = body => unpackValues(body, ref => services.getOriginalObj(ref));
    const pack = result => packResult(services, result, returns);
    if (observable) { return body => ({ obs: observing(observer => holder[name](...argsOf(body), observer), pack) }); }
    return body => ({ promise: Promise.resolve(holder[name](...argsOf(body))).then(pack) });
}

// An observable of packed values from start(observer) -> unsubscribe.
function observing(start, pack) {
    return {
        subscribe(sink) {
            const unsubscribe = start({
                next: value => {
                    try {
                        sink.next(pack(value));
                    } catch (err) {
                        sink.error(err);
                    }
                },
                complete: () => sink.complete(),
                error: err => sink.error(err),
            });
            return { unsubscribe: () => unsubscribe?.() };
        },
    };
}

function exposeMembers(services, holder, methods, path) {
    const exposed = Object.create(null);
    for (const name of new Set([...Object.keys(holder), ...Object.keys(methods)])) {
        const member = holder[name];
        if (typeof member === 'function') {
            exposed[name] = exposeFunction(services, holder, name, methods[name] ?? PLAIN);
        } else if (path.length && path.length < MAX_DEPTH && hasOwn(holder, name) && Object(member) === member) {
            const inner = [...path, name];
            exposed[name] = exposeMembers(services, member, capabilityMethods(inner.slice(1).join('.')), inner);
        }
    }
    return exposed;
}

function exposeW3N(coreSide, w3n, extraCAPs = {}) {
    const services = coreSide.exposedServices ?? coreSide;
    const plain = Object.create(null);
    const extra = Object.create(null);
    for (const [name, cap] of Object.entries(w3n)) {
        if (cap && hasOwn(extraCAPs, name)) {
            extra[name] = extraCAPs[name](cap, services);
        } else {
            plain[name] = cap;
        }
    }
    services.exposeW3NService({ ...exposeMembers(services, plain, capabilityMethods(''), ['w3n']), ...extra });
}

function withThis(srvOrFn, fn) {
    return typeof srvOrFn === 'function' ? srvOrFn : (...args) => fn.apply(srvOrFn, args);
}

const packPlain = result => result === undefined ? undefined : packValues([result]);

const serviceSideJSONWrap = Object.freeze({
    wrapReqReplyFunc(srvOrFn, fn) {
        const call = withThis(srvOrFn, fn);
        return body => ({ promise: Promise.resolve(call(...unpackValues(body))).then(packPlain) });
    },
    wrapReqReplySrvMethod(srv, name) {
        return serviceSideJSONWrap.wrapReqReplyFunc(srv, srv[name]);
    },
    wrapObservingFunc(srvOrFn, fn) {
        const call = withThis(srvOrFn, fn);
        return body => ({ obs: observing(observer => call(observer, ...unpackValues(body)), packPlain) });
    },
});

globalThis.__core3NWeb ??= {};
globalThis.__core3NWeb.ipc = Object.freeze({
    ObjectsConnector: parts.ObjectsConnector,
    makeReceiver: parts.makeReceiver,
    msgProtoType: parts.msgProtoType,
    exposeW3N,
    exposeStartupW3N: exposeW3N,
    serviceSideJSONWrap,
    valuesSequence: Object.freeze({ pack: values => packValues(values), unpack: bytes => unpackValues(bytes) }),
    ipcException: parts.ipcException,
});
delete globalThis.__ipcParts;
})();
