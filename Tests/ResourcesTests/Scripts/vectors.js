// Replays the messages that the public library made: each list that these give is empty if all is well.
'use strict';

function revive(value) {
    if (Array.isArray(value)) { return value.map(revive); }
    if (typeof value !== 'object' || value === null) { return value; }
    if ('$bytes' in value) { return bytesOf(value.$bytes); }
    if ('$undefined' in value) { return undefined; }
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, revive(member)]));
}

/** JSON with the order of members kept, in which bytes and undefined can be told apart. */
function shown(value) {
    return JSON.stringify(value, (key, member) => {
        if (member instanceof Uint8Array) { return { $bytes: hexOf(member) }; }
        return member === undefined ? { $undefined: true } : member;
    });
}

const differ = (what, got, want) => shown(got) === shown(want) ? [] : [`${what}: ${shown(got)} is not ${shown(want)}`];

/** Each message decodes to its content, and that encodes to the message's bytes. */
function checkMessages({ messages }) {
    return messages.flatMap(({ hex, msg }) => {
        const unpacked = core.msgProtoType.unpack(bytesOf(hex));
        const made = envelope(msg.msgType, msg.fnCallNum, msg.path,
            msg.bodyHex === undefined ? undefined : bytesOf(msg.bodyHex));
        const packed = hexOf(core.msgProtoType.pack(made));
        return [...differ('decoded', flat(unpacked), msg), ...differ('encoded', packed, hex)];
    });
}

/** Arguments and result are coded to the bodies, and back. */
function checkValues({ args, result, messages }) {
    const check = (what, values, { bodyHex }) => bodyHex === undefined ? differ(what, values, [undefined]) : [
        ...differ(`${what} decoded`, core.valuesSequence.unpack(bytesOf(bodyHex)), values),
        ...differ(`${what} encoded`, hexOf(core.valuesSequence.pack(values)), bodyHex),
    ];
    return messages.flatMap(({ msg }) => {
        if (args && msg.msgType === 'start') { return check('arguments', revive(args), msg); }
        return result !== undefined && msg.msgType === 'end' ? check('result', [revive(result)], msg) : [];
    });
}

const isCall = ({ messages: [first] }) => first.msg.msgType === 'start' && first.dir !== undefined;

/** The values of the bodies of replies, and the error that the last one is, if it is one. */
function outcomeOf({ messages }) {
    const replies = messages.filter(({ dir }) => dir === 'core>component').map(({ msg }) => msg);
    const values = replies.filter(({ msgType, bodyHex }) => msgType !== 'error' && bodyHex !== undefined)
        .map(({ bodyHex }) => core.valuesSequence.unpack(bytesOf(bodyHex))[0]);
    const last = replies.at(-1);
    if (last.msgType !== 'error') { return { values }; }
    const text = new TextDecoder().decode(bytesOf(last.bodyHex)).slice(2);
    return { values, failure: JSON.parse(text) };
}

/** The core's side, called by the messages of a component, answers with the same bytes. */
async function replayInCore(test) {
    if (!isCall(test)) { return []; }
    const { values, failure } = outcomeOf(test);
    const fn = async () => {
        if (failure) { throw failure; }
        return values[0];
    };
    const cancelled = test.messages.at(-1).msg.msgType === 'cancel';
    const obs = (...args) => {
        const observer = args.at(-1);
        values.forEach(value => observer.next(value));
        if (failure) { observer.error(failure); } else if (!cancelled) { observer.complete(); }
        return () => {};
    };
    const toCore = subject();
    const answered = [];
    const side = core.ObjectsConnector.makeCoreSide(
        { next: reply => answered.push(hexOf(core.msgProtoType.pack(reply))), error() {}, complete() {} }, toCore);
    side.exposedServices.exposeW3NService({
        fn: core.serviceSideJSONWrap.wrapReqReplyFunc(fn),
        obs: core.serviceSideJSONWrap.wrapObservingFunc((observer, ...args) => obs(...args, observer)),
        a: {},
    });
    const receive = core.makeReceiver(toCore, text => answered.push(text));
    const want = [];
    for (const { dir, hex } of test.messages) {
        if (dir === 'component>core') { receive(bytesOf(hex)); } else { want.push(hex); }
        await turn();
    }
    return differ('answers', answered, want);
}

/** A component's calls are the same bytes, and the core's replies give the same values. */
async function replayInClient(test) {
    if (!isCall(test)) { return []; }
    const toClient = subject();
    const sent = [];
    const { caller } = client.ObjectsConnector.makeClientSide(
        { next: message => sent.push(hexOf(core.msgProtoType.pack(message))), error() {}, complete() {} }, toClient);
    const receive = client.makeReceiver(toClient, text => sent.push(text));
    const [{ msg: { path, bodyHex } }] = test.messages;
    const args = core.valuesSequence.unpack(bytesOf(bodyHex));
    const got = { values: [] };
    let stop;
    let settled;
    if (path.at(-1) === 'obs') {
        stop = client.callerSideJSONWrap.makeObservableFuncCaller(caller, path)(
            { next: value => got.values.push(value), error: err => { got.failure = err; } }, ...args);
    } else {
        settled = client.callerSideJSONWrap.makeReqRepFuncCaller(caller, path)(...args).then(
            value => { if (value !== undefined) { got.values.push(value); } },
            err => { got.failure = err instanceof Error ? err.cause : err; });
    }
    await turn();
    for (const { dir, hex, msg } of test.messages) {
        if (dir === 'core>component') { receive(bytesOf(hex)); } else if (msg.msgType === 'cancel') { stop(); }
    }
    await settled;
    const want = test.messages.filter(({ dir }) => dir === 'component>core').map(({ hex }) => hex);
    return [...differ('sent', sent, want), ...differ('outcome', got, outcomeOf(test))];
}
