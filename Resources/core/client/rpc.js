// RPC by the convention of all public apps: arguments and results as value sequences.
// __ipcParts += {w3nRPC}; w3nRPC = {
//   serve(service, methods, {observables?, error?}?) -> stop(): exposes a service of w3n.rpc. methods: {name(...args)}
//     -> value or promise; observables: {name(...args, observer)} -> unsubscribe. Own members only. error(err): the
//     service has ended.
//   connect(connection) -> {call(method, ...args) -> Promise, observe(method, ...args, observer) -> unsubscribe,
//     close()}
//     for an RPC connection or a promise of one
//   callerOf(connection, names, observableNames?) -> an object with these methods }
'use strict';
{
const parts = globalThis.__ipcParts;
const { packValues, unpackValues } = parts;
const { hasOwn } = Object;

function request(args) {
    return args.length ? { bytes: packValues(args) } : undefined;
}

function valueOf(reply) {
    return unpackValues(reply?.bytes)[0];
}

function serviceException(message, fields) {
    return { runtimeException: true, type: 'service', ...fields, message };
}

// What was thrown may be of any kind; what cannot travel is told in words.
function errorData(err) {
    try {
        if (err === null || err === undefined) { return serviceException(`The service threw ${err}`); }
        if (['symbol', 'function', 'bigint'].includes(typeof err)) {
            return serviceException(`The service threw the ${typeof err} ${String(err)}`);
        }
        if (err?.runtimeException === true || !(err instanceof Error)) { return err; }
        return serviceException(err.message, { name: err.name });
    } catch {
        return serviceException('The service threw something that cannot be read');
    }
}

function isEndOf(err) {
    return Boolean(err?.connectionClosed || err?.ipcNotConnected || err?.connectorStop || err?.stopFromOtherSide);
}

function serveConnection(connection, methods, observables) {
    const cancels = new Map();
    const reply = (callNum, callStatus, fields) => connection.send({ callNum, callStatus, ...fields });
    const dataOf = value => (value === undefined ? {} : { data: { bytes: packValues([value]) } });

    // No caller waits in vain: a reply that cannot be sent becomes an error that says so.
    async function fail(callNum, err) {
        cancels.delete(callNum);
        try {
            await reply(callNum, 'error', { err: errorData(err) });
        } catch (failure) {
            if (isEndOf(failure)) { return; }
            const text = `The service's error cannot be sent: ${failure?.message ?? failure}`;
            await reply(callNum, 'error', { err: serviceException(text) })
                .catch(last => { if (!isEndOf(last)) { console.error(text, last); } });
        }
    }

    async function succeed(callNum, status, value) {
        try {
            await reply(callNum, status, dataOf(value));
        } catch (failure) {
            if (!isEndOf(failure)) { await fail(callNum, failure); }
        }
    }

    function startObservable(method, callNum, args) {
        cancels.set(callNum, undefined);
        const unsubscribe = observables[method](...args, {
            next: value => succeed(callNum, 'interim', value),
            complete: () => {
                cancels.delete(callNum);
                return succeed(callNum, 'end');
            },
            error: err => fail(callNum, err),
        });
        if (cancels.has(callNum)) { cancels.set(callNum, unsubscribe); }
    }

    async function start({ callNum, method, data }) {
        try {
            const args = unpackValues(data?.bytes);
            if (hasOwn(observables, method)) {
                startObservable(method, callNum, args);
            } else if (hasOwn(methods, method)) {
                await succeed(callNum, 'end', await methods[method](...args));
            } else {
                throw parts.ipcException({ callFnNotFound: true, message: `No method ${method} in this service` });
            }
        } catch (err) {
            await fail(callNum, err);
        }
    }

    function stopAll() {
        for (const unsubscribe of cancels.values()) { unsubscribe?.(); }
        cancels.clear();
    }

    connection.watch({
        next: call => {
            if (call.msgType === 'start') {
                start(call);
            } else if (call.msgType === 'cancel') {
                cancels.get(call.callNum)?.();
                cancels.delete(call.callNum);
            }
        },
        complete: stopAll,
        error: stopAll,
    });
}

function serve(service, methods, { observables = {}, error = reportError } = {}) {
    return globalThis.w3n.rpc.exposeService(service, {
        next: connection => serveConnection(connection, methods, observables),
        error,
    });
}

function connect(connection) {
    const call = async (method, ...args) =>
        valueOf(await (await connection).makeRequestReplyCall(method, request(args)));
    function observe(method, ...argsAndObserver) {
        const observer = argsAndObserver.pop();
        let stop;
        let stopped = false;
        Promise.resolve(connection).then(ready => {
            if (stopped) { return; }
            stop = ready.startObservableCall(method, request(argsAndObserver), {
                next: reply => observer.next?.(valueOf(reply)),
                complete: () => observer.complete?.(),
                error: err => observer.error?.(err),
            });
        }).catch(err => observer.error?.(err));
        return () => {
            stopped = true;
            stop?.();
        };
    }
    return Object.freeze({ call, observe, close: async () => (await connection).close() });
}

function callerOf(connection, names, observableNames = []) {
    const { call, observe } = connect(connection);
    return Object.fromEntries([
        ...names.map(name => [name, (...args) => call(name, ...args)]),
        ...observableNames.map(name => [name, (...args) => observe(name, ...args)]),
    ]);
}

parts.w3nRPC = Object.freeze({ serve, connect, callerOf });
}
