// The core's side of capabilities; sets globalThis.__core3NWeb.ipc = {
//   ObjectsConnector, makeReceiver: see connector.js; msgProtoType: protobuf.js
//   exposeW3N(coreSide, w3n, extraCAPs?), exposeStartupW3N: the same
//     w3n is a tree of objects with functions that return values or promises. Observable ones take an observer, and
//     those that tell progress a function, as the argument that objects.js says; the former return a function that
//     unsubscribes. An observer's `next` gives false while the component leaves too much unread. What objects.js names,
//     an object with a type of its own under OBJ_TYPE, and a promise inside a result become references.
//     An own extraCAPs[name](cap, exposedServices) -> exposed (services.js) replaces this for one capability.
//   serviceSideJSONWrap: {wrapReqReplyFunc(fn) or (srv, fn), wrapReqReplySrvMethod(srv, name),
//     wrapObservingFunc(fn) or (srv, fn)} -> exposed function; an observing fn is (observer, …args) -> unsubscribe
//   exposeCapability(exposedServices, name, cap) -> exposed, as exposeW3N does it
//   valuesSequence: {pack([values]) -> bytes, unpack(bytes?) -> [values]}
//   ipcException(fields)
//   giveAway(bytes): a caller's reply may be made around them, without a copy; nobody else keeps their buffer }
'use strict';
{
const parts = globalThis.__ipcParts;
const { capabilityMethods, objectType, OBJ_TYPE, packValues, unpackValues } = parts;
const { hasOwn } = Object;
const PLAIN = { observable: false, progress: false, returns: '' };
const MAX_DEPTH = 5;

// The obj_type of each object that was ever exposed, so that it can be passed on to another component.
const typeOfOriginal = new WeakMap();
// How many references to an object with closeOnDrop are out: it is closed with the last.
const references = new WeakMap();

// By what they have, for objects of a user's own core, which name no type: one that came from a component as a
// reference is passed on to another in these words, whatever the words of the core's own library for it are. The first
// that fits.
const SHAPES = [
    ['listFolder', 'FS'], ['readTxt', 'File'], ['readNext', 'FileByteSource'], ['splice', 'FileByteSink'],
    ['target', 'SymLink'], ['getAll', 'FSCollection'],
].map(([member, name]) => ({ member, name }));

function typeByShape(object) {
    return Array.isArray(object) ? undefined
        : SHAPES.find(({ member }) => typeof object[member] === 'function')?.name;
}

function propsOf(original, type) {
    const props = {};
    for (const name of type.props) {
        if (original[name] !== undefined) { props[name] = original[name]; }
    }
    for (const [name, inner] of type.inner) {
        if (original[name]) { props[name] = propsOf(original[name], objectType(inner)); }
    }
    return props;
}

function exposeTyped(services, original, type) {
    const exposed = exposeMembers(services, original, type.methods, []);
    for (const [name, inner] of type.inner) {
        if (original[name]) { exposed[name] = exposeTyped(services, original[name], objectType(inner)); }
    }
    return exposed;
}

function released(original) {
    const left = references.get(original) - 1;
    references.set(original, left);
    if (left === 0) { original.close?.(); }
}

function exposeObject(services, original, typeName) {
    const type = objectType(typeName);
    typeOfOriginal.set(original, typeName);
    if (type.closeOnDrop) { references.set(original, (references.get(original) ?? 0) + 1); }
    const onDrop = type.closeOnDrop ? () => released(original) : undefined;
    const ref = services.exposeDroppableService(typeName, exposeTyped(services, original, type), original, onDrop);
    return { ref, props: propsOf(original, type) };
}

// One message has one reference to an object, however often it is in there.
function packResult(services, result, returns) {
    if (result === undefined) { return undefined; }
    const known = new Map();
    return packValues([result], object => {
        if (known.has(object)) { return known.get(object); }
        const isPromise = object instanceof Promise;
        const typeName = object === result && returns ? returns
            : isPromise ? 'Promise' : typeOfOriginal.get(object) ?? object[OBJ_TYPE] ?? typeByShape(object);
        if (!typeName) { return undefined; }
        // Its rejection is the component's to see, who need not ask.
        if (isPromise) { object.catch(() => {}); }
        const exposed = exposeObject(services, isPromise ? { wait: () => object } : object, typeName);
        known.set(object, exposed);
        return exposed;
    });
}

function exposeFunction(services, holder, name, { observable, progress, at, returns }) {
    const argsOf = body => unpackValues(body, ref => services.getOriginalObj(ref));
    const pack = result => packResult(services, result, returns);
    const callWith = (body, observer) => holder[name](...argumentsWith(argsOf(body), at, observer));
    if (observable) { return body => ({ obs: observing(observer => callWith(body, observer), pack) }); }
    if (progress) { return body => ({ obs: inProgress(tell => callWith(body, tell), pack) }); }
    return body => ({ promise: Promise.resolve(holder[name](...argsOf(body))).then(pack) });
}

// What comes from the other side never stands where an observer or a function is expected.
function argumentsWith(args, at, last) {
    args.length = at;
    args.push(last);
    return args;
}

// An observable of packed values from start(observer) -> unsubscribe.
function observing(start, pack) {
    return {
        subscribe(sink) {
            const unsubscribe = start({
                next: value => {
                    try {
                        return sink.next(pack(value));
                    } catch (err) {
                        return sink.error(err);
                    }
                },
                complete: () => sink.complete(),
                error: err => sink.error(err),
            });
            return { unsubscribe: () => unsubscribe?.() };
        },
    };
}

// A call with a function: each call of `tell` is a value, and the completion has the result.
function inProgress(call, pack) {
    return {
        subscribe(sink) {
            const tell = (...values) => { sink.next(packValues(values)); };
            const failed = err => sink.error(err);
            Promise.resolve(call(tell)).then(pack).then(body => sink.complete(body), failed);
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
    exposeCapability: (services, name, cap) =>
        exposeMembers(services, { [name]: cap }, capabilityMethods(''), ['w3n'])[name],
    serviceSideJSONWrap,
    valuesSequence: Object.freeze({ pack: values => packValues(values), unpack: bytes => unpackValues(bytes) }),
    ipcException: parts.ipcException,
    giveAway: parts.giveAway,
});
delete globalThis.__ipcParts;
}
