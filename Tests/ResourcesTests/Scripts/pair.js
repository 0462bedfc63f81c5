// Both sides of the envelope protocol in one context, joined by their bytes.
'use strict';
const core = globalThis.__core3NWeb.ipc;
const client = globalThis.__client3NWeb;

const hexOf = bytes => bytes.toHex();
const bytesOf = hex => Uint8Array.fromHex(hex);
const turn = () => new Promise(resolve => setTimeout(resolve, 0));

/** What a promise was rejected with; an error if it was not. */
function rejection(promise) {
    return promise.then(value => { throw new Error(`resolved with ${JSON.stringify(value)}`); }, reason => reason);
}

/** An observable that passes on what `next`, `error` and `complete` are called with. */
function subject() {
    const observers = new Set();
    const each = name => value => [...observers].forEach(observer => observer[name]?.(value));
    return {
        next: each('next'), error: each('error'), complete: each('complete'),
        subscribe(observer) {
            observers.add(observer);
            return { unsubscribe: () => observers.delete(observer) };
        },
    };
}

/** An observer that packs envelopes and hands their bytes over in a later microtask. */
function wire(receive, target, sent) {
    return {
        next(envelope) {
            const bytes = core.msgProtoType.pack(envelope);
            sent?.push(envelope.headers.msgType);
            Promise.resolve().then(() => receive(bytes));
        },
        error: err => target.error(err),
        complete: () => target.complete(),
    };
}

/** Joins a core side that exposes `w3n` and a client side. `violations` and `sent` say what went over. */
function pair(w3n, extraCAPs, listOverWire = false) {
    const toCore = subject();
    const toClient = subject();
    const violations = [];
    const sent = [];
    const onProtocolError = text => violations.push(text);
    const receiveInCore = core.makeReceiver(toCore, onProtocolError);
    const receiveInClient = client.makeReceiver(toClient, onProtocolError);
    const fromCore = wire(receiveInClient, toClient, sent);
    const coreSide = core.ObjectsConnector.makeCoreSide(fromCore, toCore, { onProtocolError });
    if (w3n) { core.exposeW3N(coreSide, w3n, extraCAPs); }
    const list = listOverWire ? undefined : async path => coreSide.exposedServices.listObj(path);
    const clientSide = client.ObjectsConnector.makeClientSide(
        wire(receiveInCore, toCore, sent), toClient, undefined, list, { onProtocolError });
    return { coreSide, clientSide, violations, sent, receiveInCore, receiveInClient, toCore, toClient };
}

/**
 * A core side alone: `send(envelope or bytes)` delivers bytes, `deliver(envelope)` what is unpacked already; `replies`
 * are the envelopes that came back, flattened.
 */
function loneCore(w3n) {
    const toCore = subject();
    const replies = [];
    const violations = [];
    const onProtocolError = text => violations.push(text);
    const fromCore = { next: reply => replies.push(flat(reply)), error() {}, complete() {} };
    const side = core.ObjectsConnector.makeCoreSide(fromCore, toCore, { onProtocolError });
    core.exposeW3N(side, w3n);
    const receive = core.makeReceiver(toCore, onProtocolError);
    const send = message => receive(message instanceof Uint8Array ? message : core.msgProtoType.pack(message));
    return { side, send, deliver: toCore.next, replies, violations };
}

function envelope(msgType, num, path, body) {
    const headers = { msgType };
    if (num !== undefined) { headers.fnCallNum = { value: num }; }
    if (path) { headers.path = path; }
    return body ? { headers, body: { value: body } } : { headers };
}

function flat({ headers: { msgType, fnCallNum, path }, body }) {
    const result = { msgType };
    if (fnCallNum) { result.fnCallNum = fnCallNum.value; }
    if (path) { result.path = path; }
    if (body) { result.bodyHex = hexOf(body.value); }
    return result;
}

/** The exception object in the body of an `error` reply: field 1, a text. */
function exceptionIn(reply) {
    const bytes = bytesOf(reply.bodyHex);
    return JSON.parse(new TextDecoder().decode(bytes.subarray(bytes.findIndex((byte, i) => i > 0 && byte < 0x80) + 1)));
}

/** The reply to a call whose number is in use. */
function duplicate(num) {
    const text = JSON.stringify({ runtimeException: true, type: 'ipc', duplicateFnCallNum: true });
    const bytes = new TextEncoder().encode(text);
    return envelope('error', num, undefined, new Uint8Array([0x0a, bytes.length, ...bytes]));
}
