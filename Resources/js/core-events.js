// Event sources of the core's servers: JSON texts over a WebSocket. `openEventSource` goes to the core-load script, for
// the core's network client.
'use strict';
{

const pingMillis = 10_000;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

const wsException = fields => ({ runtimeException: true, type: 'websocket', ...fields });

/** Observers of one stream; after its end it keeps none, and tells late ones of the end at once. */
class Observers {
    #observers = new Set();
    #end;

    get isOver() { return this.#end !== undefined; }

    subscribe(observer) {
        if (this.#end) {
            this.#end(observer);
        } else {
            this.#observers.add(observer);
        }
        return () => { this.#observers.delete(observer); };
    }

    next(value) { this.#each(observer => observer.next?.(value)); }

    complete() { this.#finish(observer => observer.complete?.()); }

    error(reason) { this.#finish(observer => observer.error?.(reason)); }

    #finish(tell) {
        if (this.#end) { return; }
        this.#end = tell;
        this.#each(tell);
        this.#observers.clear();
    }

    #each(tell) {
        for (const observer of [...this.#observers]) {
            try {
                tell(observer);
            } catch (error) {
                console.error('an observer of an event source threw', error);
            }
        }
    }
}

/** The two ends of an open socket's port, as the core's library wants them. */
class EventSource {
    #messages = new Observers();
    #statuses = new Observers();
    #port;
    #url;
    #isSlow = false;
    #lastBeat = performance.now();

    constructor(socketId, url) {
        this.#port = `ws_#${socketId}`;
        this.#url = url;
        globalThis[`__portRecv_${this.#port}`] = bytes => this.#received(bytes);
        globalThis[`__portEvent_${this.#port}`] = event => this.#happened(event);
    }

    data() {
        return {
            comm: {
                subscribe: observer => this.#messages.subscribe(observer),
                postMessage: message => this.#post(message),
            },
            watch: observer => {
                if (!this.#statuses.isOver) { observer.next?.({ type: 'connected', url: this.#url }); }
                return this.#statuses.subscribe(observer);
            },
        };
    }

    #post(message) {
        if (this.#isSlow) {
            this.#tell('heartbeat', { slowSocket: true });
            throw wsException({ socketSlow: true, message: `${this.#url}: the server does not read what it was sent` });
        }
        const send = globalThis[`__portSend_${this.#port}`];
        if (!send) { throw wsException({ socketClosed: true, message: `${this.#url}: the connection is closed` }); }
        this.#isSlow = !send(encoder.encode(JSON.stringify(message)));
    }

    #received(bytes) {
        let message;
        try {
            message = JSON.parse(decoder.decode(bytes));
        } catch (error) {
            globalThis[`__portClose_${this.#port}`]?.(1007, 'no JSON');
            this.#end({ error: `${error}` }, wsException({ cause: error, message: `${this.#url}: a text is no JSON` }));
            return;
        }
        this.#messages.next(message);
        this.#beat();
    }

    #happened(event) {
        switch (event.type) {
            case 'ping':
            case 'pong': this.#beat(); break;
            case 'missed-pong': this.#tell('heartbeat-skip', { missingPongsFromServer: event.missed }); break;
            case 'drained': this.#isSlow = false; break;
            case 'closed': this.#closed(event); break;
        }
    }

    #closed({ code, reason, problem }) {
        if (code === 1000) {
            this.#end({ socketClosed: true });
            return;
        }
        const cause = problem === undefined ? { code, reason } : { code, reason, problem };
        const message = `${this.#url}: closed with code ${code}${problem ? `, ${problem}` : ''}`;
        this.#end({ error: cause }, wsException({ socketClosed: true, cause, message }));
    }

    /** Completes both streams, the messages with `exception` where there is one. */
    #end(status, exception) {
        this.#tell('disconnected', status);
        this.#statuses.complete();
        if (exception) {
            this.#messages.error(exception);
        } else {
            this.#messages.complete();
        }
    }

    #beat() {
        const now = performance.now();
        this.#tell('heartbeat', { ping: Math.round(now - this.#lastBeat) });
        this.#lastBeat = now;
    }

    #tell(type, fields) { this.#statuses.next({ type, url: this.#url, ...fields }); }
}

/**
 * `{url, sessionId, method, appPath}` → `{url, method, status, data: {comm: {subscribe, postMessage}, watch}}`; status 200
 * stands for an open one, any other is the server's refusal and has no data. Statuses that `watch` tells of:
 * `{type: 'connected' | 'heartbeat' | 'heartbeat-skip' | 'disconnected', url, ping?, missingPongsFromServer?,
 * slowSocket?, socketClosed?, error?}`.
 */
async function openEventSource({ url, sessionId }, millis = pingMillis) {
    const { status, socketId } = await __nativeCallDispatch('ws_open', [url, sessionId, millis]);
    const reply = { url, method: 'GET', status };
    return socketId === undefined ? reply : { ...reply, status: 200, data: new EventSource(socketId, url).data() };
}

Object.assign(globalThis.__platformParts, { openEventSource });
}
