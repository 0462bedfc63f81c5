// A connection of the two sides.
// __ipcParts += {ObjectsConnector}
//   ObjectsConnector.makeCoreSide(fromCore, toCore, {onProtocolError?}?) -> {exposedServices, caller, close(err?)}
//   ObjectsConnector.makeClientSide(fromClient, toClient, listObj?, listObjAsync?, {onProtocolError?}?) -> the same
//   makeReceiver(observer, onProtocolError) -> bytes => ...: unpacks envelopes into observer.next, never throws
// fromX: observer {next(envelope), complete(), error(err)} of what this side sends; its next may give false while too
// much of that waits, for observers of calls to see; toX: {subscribe(observer)} ->
// {unsubscribe()} of what arrives. caller: see calls.js; exposedServices: services.js (absent where not loaded).
// When close is called, or toX completes, all at once: pending calls are rejected (connectorStop here, or
// stopFromOtherSide when that ended it), observable calls cancelled, exposed objects dropped; later: ipcNotConnected.
// An envelope never makes `next` throw. One with a call number is answered (an unknown type with invalidType); what
// cannot be answered goes to onProtocolError(text), and the platform decides. Replies to unknown calls are old news.
'use strict';
{
const parts = globalThis.__ipcParts;
const { ipcException, packError, Calls, Services } = parts;

class ObjectsConnector {
    #sink;
    #source;
    #services;
    #calls;
    #onProtocolError;

    constructor(sink, source, { onProtocolError, openCalls } = {}) {
        this.#sink = sink;
        this.#onProtocolError = onProtocolError ?? (text => console.error(text));
        this.#services = Services && new Services((type, num, body) => this.#reply(type, num, body), openCalls);
        this.#calls = new Calls((type, num, path, body) => this.#send(type, num, path, body));
        this.#source = source.subscribe({
            next: envelope => this.#receive(envelope),
            error: err => this.#stop('stopFromOtherSide', err),
            complete: () => this.#stop('stopFromOtherSide'),
        });
    }

    static makeCoreSide(fromCore, toCore, options) {
        return new ObjectsConnector(fromCore, toCore, options).#side();
    }

    static makeClientSide(fromClient, toClient, listObj, listObjAsync, options) {
        return new ObjectsConnector(fromClient, toClient, options).#side(listObj, listObjAsync);
    }

    #side(listObj, listObjAsync) {
        const caller = this.#calls.api(listObj, listObjAsync);
        return { caller, exposedServices: this.#services?.api, close: err => this.#close(err) };
    }

    #send(msgType, num, path, body) {
        if (!this.#sink) { throw ipcException({ ipcNotConnected: true }); }
        const headers = { msgType };
        if (num !== undefined) { headers.fnCallNum = { value: num }; }
        if (path) { headers.path = path; }
        return this.#sink.next(body === undefined ? { headers } : { headers, body: { value: body } });
    }

    // A reply that cannot be sent (too big, say) becomes an error; without a connection all is over.
    #reply(type, num, body) {
        if (!this.#sink) { return false; }
        try {
            return this.#send(type, num, undefined, body);
        } catch (err) {
            if (type === 'error' || err?.ipcNotConnected) {
                this.#stop('connectorStop', err);
            } else {
                this.#reply('error', num, packError(err));
            }
            return false;
        }
    }

    #receive({ headers: { msgType, fnCallNum, path }, body }) {
        const num = fnCallNum?.value;
        const bytes = body?.value;
        const services = this.#services;
        try {
            if (msgType === 'drop' && path?.length === 1) {
                services?.drop(path[0]);
            } else if (!(num >= 0 && num <= Number.MAX_SAFE_INTEGER)) {
                this.#onProtocolError(`Message of type ${String(msgType).slice(0, 64)} without call number or path`);
            } else if (msgType === 'interim') {
                this.#calls.interim(num, bytes);
            } else if (msgType === 'end') {
                this.#calls.end(num, bytes);
            } else if (msgType === 'error') {
                this.#calls.error(num, bytes);
            } else if (msgType === 'cancel') {
                services?.cancel(num);
            } else if (msgType === 'start' && services) {
                services.start(num, path, bytes);
            } else if (msgType === 'list-obj' && services) {
                services.list(num, path);
            } else {
                this.#reply('error', num, packError(ipcException({ invalidType: true })));
            }
        } catch (err) {
            reportError(err);
        }
    }

    #stop(flag, cause) {
        if (!this.#sink) { return; }
        this.#sink = undefined;
        this.#calls.stop(ipcException(cause === undefined ? { [flag]: true } : { [flag]: true, cause }));
        this.#services?.stop();
    }

    #close(err) {
        const sink = this.#sink;
        if (!sink) { return; }
        this.#source?.unsubscribe();
        this.#stop('connectorStop', err);
        if (err === undefined) {
            sink.complete?.();
        } else {
            sink.error?.(err);
        }
    }
}

function makeReceiver(observer, onProtocolError) {
    return bytes => {
        let envelope;
        try {
            envelope = parts.msgProtoType.unpack(bytes);
        } catch (err) {
            onProtocolError(err.message);
            return;
        }
        observer.next(envelope);
    };
}

Object.assign(parts, { ObjectsConnector, makeReceiver });
}
