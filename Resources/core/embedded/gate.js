// Work that may only be done so much at once.
'use strict';
{

class Gate {
    #most;
    #used = 0;
    #waiting = [];

    /** Lets work through whose weights are `most` together; what is heavier goes alone. */
    constructor(most) { this.#most = most; }

    /** Does `work` when there is room for its weight, in the order of the calls. */
    async run(weight, work) {
        if (this.#waiting.length > 0 || !this.#hasRoom(weight)) {
            await new Promise(enter => { this.#waiting.push({ weight, enter }); });
        } else {
            this.#used += weight;
        }
        try {
            return await work();
        } finally {
            this.#used -= weight;
            this.#admit();
        }
    }

    #hasRoom(weight) { return this.#used === 0 || this.#used + weight <= this.#most; }

    #admit() {
        while (this.#waiting.length > 0 && this.#hasRoom(this.#waiting[0].weight)) {
            const { weight, enter } = this.#waiting.shift();
            this.#used += weight;
            enter();
        }
    }
}

Object.assign(globalThis.__embeddedCore, { Gate });
}
