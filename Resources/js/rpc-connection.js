// One RPC connection: a client's half and a service's half, with the calls that are open between them.
'use strict';
{

/** Messages that wait for a service to call `watch`, and calls that wait for replies, per connection. */
const maxUnwatched = 1024;
const maxOpenCalls = 16_384;

/** An `rpc` exception: `flag` is its kind, e.g. `connectionClosed`. */
function rpcException({ appDomain, service, caller }, flag, message, cause) {
    return {
        runtimeException: true, type: 'rpc', appDomain, service, callerApp: caller.appDomain,
        callerComponent: caller.entrypoint, [flag]: true, message, ...(cause === undefined ? {} : { cause }),
    };
}

/** `data` of a message from what a caller gave: nothing when there are neither bytes nor objects. */
function dataOf(request) {
    const { bytes, passedByReference } = request ?? {};
    const data = {};
    if (bytes !== undefined) { data.bytes = bytes; }
    if (passedByReference !== undefined) { data.passedByReference = passedByReference; }
    return Object.keys(data).length > 0 ? { data } : {};
}

/**
 * `target` is `{appDomain, service, caller}`. `host.isOverloaded(connectorId)` is true for a component that does not
 * read what it is sent; `host.ended(connection)` is called once, whichever side ends it.
 *
 * 1. A client's message goes to the watcher of the service, or waits until there is one.
 * 2. The client's end: the watcher completes, once it has what came before.
 * 3. The service's end: each open call is rejected with `connectionClosed`, each observer gets that as its error.
 * 4. Nothing more is sent to a side that is overloaded: calls to it are refused, observed calls of it end.
 */
class RpcConnection {
    #target;
    #host;
    #serviceConnectorId;
    #calls = new Map();
    #lastCallNum = 0;
    #unwatched = [];
    #watcher;
    #wasWatched = false;
    #isClosed = false;

    constructor(target, host) {
        this.#target = target;
        this.#host = host;
    }

    get target() { return this.#target; }
    get caller() { return this.#target.caller; }

    /** Absent until the connection is handed over. */
    get serviceConnectorId() { return this.#serviceConnectorId; }

    /** What the client gets. */
    clientHalf() {
        return Object.freeze({
            makeRequestReplyCall: async (method, request) => new Promise((resolve, reject) => {
                this.#startCall(method, request, { interim() {}, end: resolve, error: reject });
            }),
            startObservableCall: (method, request, observer) => {
                const callNum = this.#startCall(method, request, {
                    interim: data => {
                        if (!this.#host.isOverloaded(this.caller.connectorId)) { return observer.next?.(data); }
                        this.#cancel(callNum);
                        observer.error?.(this.#exception('connectionClosed', 'the client does not read its messages'));
                    },
                    end(data) {
                        if (data !== undefined) { observer.next?.(data); }
                        observer.complete?.();
                    },
                    error: exception => observer.error?.(exception),
                });
                return () => this.#cancel(callNum);
            },
            close: async () => this.closeByClient(),
        });
    }

    /** What the service gets, whose component has that connector. */
    serviceHalf(serviceConnectorId) {
        this.#serviceConnectorId = serviceConnectorId;
        return Object.freeze({
            watch: observer => this.#watch(observer),
            send: async message => this.#fromService(message),
            close: async () => this.closeByService('the service closed this connection'),
        });
    }

    closeByClient() { this.#close('this connection was closed by its client'); }

    closeByService(reason) {
        this.#unwatched = [];
        this.#close(reason);
    }

    #close(reason) {
        if (this.#isClosed) { return; }
        this.#isClosed = true;
        const open = [...this.#calls.values()];
        this.#calls.clear();
        for (const call of open) { call.error(this.#exception('connectionClosed', reason)); }
        this.#watcher?.complete?.();
        this.#host.ended(this);
    }

    #exception(flag, message) { return rpcException(this.#target, flag, message); }

    #cancel(callNum) {
        if (this.#calls.delete(callNum)) { this.#toService({ msgType: 'cancel', callNum }); }
    }

    #startCall(method, request, call) {
        if (this.#isClosed) { throw this.#exception('connectionClosed', 'connection is closed; make another'); }
        if (typeof method !== 'string') { throw new TypeError(`method is ${typeof method}; give its name`); }
        if (this.#calls.size >= maxOpenCalls) {
            throw this.#exception('connectionNotAccepted',
                `${maxOpenCalls} calls are open on this connection; await some`);
        }
        if (this.#host.isOverloaded(this.#serviceConnectorId)) {
            throw this.#exception('connectionNotAccepted', 'the service does not read its messages; try again later');
        }
        const callNum = ++this.#lastCallNum;
        this.#calls.set(callNum, call);
        try {
            this.#toService({ msgType: 'start', callNum, method, ...dataOf(request) });
        } catch (exception) {
            this.#calls.delete(callNum);
            throw exception;
        }
        return callNum;
    }

    #toService(message) {
        if (this.#watcher) { return this.#watcher.next?.(message); }
        if (this.#wasWatched || this.#isClosed) { return; }
        if (this.#unwatched.length >= maxUnwatched) {
            throw this.#exception('connectionNotAccepted',
                `the service has not called "watch" and ${maxUnwatched} messages wait for it`);
        }
        this.#unwatched.push(message);
    }

    #watch(observer) {
        if (this.#wasWatched) {
            throw this.#exception('connectionAlreadyWatched', 'a connection has one watcher; use the first one');
        }
        this.#wasWatched = true;
        this.#watcher = observer;
        for (const message of this.#unwatched.splice(0)) { observer.next?.(message); }
        if (this.#isClosed) { observer.complete?.(); }
        return () => { this.#watcher = undefined; };
    }

    #fromService(message) {
        if (this.#isClosed) { throw this.#exception('connectionClosed', 'the client has closed this connection'); }
        const { callNum, callStatus, data, err } = message ?? {};
        if (!['interim', 'end', 'error'].includes(callStatus)) {
            throw new TypeError(`callStatus is ${String(callStatus)}; send "interim", "end" or "error"`);
        }
        const call = this.#calls.get(callNum);
        if (!call) { return; }  // cancelled by the client while the reply was on its way
        if (callStatus !== 'interim') { this.#calls.delete(callNum); }
        call[callStatus](callStatus === 'error' ? err : data);
    }
}

Object.assign(globalThis.__platformParts, { RpcConnection, rpcException });
}
