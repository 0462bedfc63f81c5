// Regular expressions for names: all ways are followed at once, so that none is tried twice, whatever is asked for.
'use strict';
{

/** Steps that an expression may become. */
const mostSteps = 512;

const isWord = unit => unit !== undefined && /\w/.test(unit);
const classes = {
    d: unit => /\d/.test(unit), D: unit => /\D/.test(unit), w: unit => /\w/.test(unit), W: unit => /\W/.test(unit),
    s: unit => /\s/.test(unit), S: unit => /\S/.test(unit),
};
const controls = { t: '\t', n: '\n', r: '\r', f: '\f', v: '\v', 0: '\0' };
const assertions = {
    '^': (name, i) => i === 0,
    $: (name, i) => i === name.length,
    b: (name, i) => isWord(name[i - 1]) !== isWord(name[i]),
    B: (name, i) => isWord(name[i - 1]) === isWord(name[i]),
};

/** The JavaScript syntax without flags, look-around and back references. Nodes are functions that emit steps. */
class Parser {
    #text;
    #at = 0;
    #fail;

    constructor(text, fail) {
        this.#text = text;
        this.#fail = fail;
    }

    whole() {
        const node = this.#choice(0);
        if (this.#at < this.#text.length) { this.#fail('has a ")" too many'); }
        return node;
    }

    #take(token) {
        if (!this.#text.startsWith(token, this.#at)) { return false; }
        this.#at += token.length;
        return true;
    }

    #choice(depth) {
        if (depth > 32) { this.#fail('has too many parentheses inside each other'); }
        const choices = [this.#sequence(depth)];
        while (this.#take('|')) { choices.push(this.#sequence(depth)); }
        return choices.reduceRight((rest, choice) => program => {
            const split = program.push({ ways: [] });
            program.at(split).ways.push(program.length);
            choice(program);
            const jump = program.push({ ways: [] });
            program.at(split).ways.push(program.length);
            rest(program);
            program.at(jump).ways.push(program.length);
        });
    }

    #sequence(depth) {
        const parts = [];
        while (this.#at < this.#text.length && !'|)'.includes(this.#text[this.#at])) {
            parts.push(this.#quantified(this.#atom(depth)));
        }
        return program => { for (const part of parts) { part(program); } };
    }

    #atom(depth) {
        if (this.#take('(')) { return this.#group(depth); }
        if (this.#take('[')) { return this.#set(); }
        const unit = this.#text[this.#at];
        this.#at += 1;
        if (unit === '\\') { return this.#escape(); }
        if (unit === '.') { return ofUnit(other => !/[\n\r\u2028\u2029]/.test(other)); }
        if (unit === '^' || unit === '$') { return ofAssertion(unit); }
        if ('*+?'.includes(unit)) { this.#fail(`has a "${unit}" behind nothing`); }
        return ofUnit(other => other === unit);
    }

    #group(depth) {
        const isPlain = !this.#take('?') || this.#take(':') || this.#takeGroupName();
        if (!isPlain) { this.#fail('has look-around, which is not available here'); }
        const node = this.#choice(depth + 1);
        if (!this.#take(')')) { this.#fail('has a "(" that is not closed'); }
        return node;
    }

    #takeGroupName() {
        const [name] = /^<\w+>/.exec(this.#text.slice(this.#at)) ?? [];
        return name !== undefined && this.#take(name);
    }

    #escape() {
        const unit = this.#escaped();
        if (unit === 'b' || unit === 'B') { return ofAssertion(unit); }
        return ofUnit(typeof unit === 'function' ? unit : other => other === unit.literal);
    }

    /** What an escape stands for: a class of units, `{literal}`, or the letter of an assertion. */
    #escaped(inSet = false) {
        const letter = this.#text[this.#at];
        if (letter === undefined) { this.#fail('ends with a "\\"'); }
        this.#at += 1;
        if (classes[letter]) { return classes[letter]; }
        if (letter === 'b' && inSet) { return { literal: '\b' }; }
        if (letter === 'b' || letter === 'B') { return letter; }
        const hex = { x: /^[0-9a-f]{2}/i, u: /^[0-9a-f]{4}/i }[letter]?.exec(this.#text.slice(this.#at))?.[0];
        if (hex && this.#take(hex)) { return { literal: String.fromCharCode(parseInt(hex, 16)) }; }
        if (/[1-9k]/.test(letter)) { this.#fail('has back references, which are not available here'); }
        return { literal: controls[letter] ?? letter };
    }

    #set() {
        const isNegated = this.#take('^');
        const tests = [];
        while (!this.#take(']')) {
            const from = this.#member();
            if (typeof from === 'function' || this.#text[this.#at] !== '-' || this.#text[this.#at + 1] === ']') {
                tests.push(typeof from === 'function' ? from : unit => unit === from);
                continue;
            }
            this.#at += 1;
            const to = this.#member();
            if (typeof to === 'function' || to < from) { this.#fail('has a range that ends before it begins'); }
            tests.push(unit => from <= unit && unit <= to);
        }
        return ofUnit(unit => tests.some(test => test(unit)) !== isNegated);
    }

    #member() {
        const unit = this.#text[this.#at];
        if (unit === undefined) { this.#fail('has a "[" that is not closed'); }
        this.#at += 1;
        if (unit !== '\\') { return unit; }
        const escaped = this.#escaped(true);
        return typeof escaped === 'function' ? escaped : escaped.literal ?? escaped;
    }

    #quantified(node) {
        const quantifier = /^(?:([*+?])|\{(\d+)(,(\d*))?\})\??/;
        const [all, sign, from, comma, to] = quantifier.exec(this.#text.slice(this.#at)) ?? [];
        if (all === undefined) { return node; }
        this.#at += all.length;
        const least = sign ? (sign === '+' ? 1 : 0) : Number(from);
        const most = sign ? (sign === '?' ? 1 : Infinity) : comma === undefined ? least : to ? Number(to) : Infinity;
        if (most < least || least > mostSteps || (most !== Infinity && most > mostSteps)) {
            this.#fail(`repeats something too often; at most ${mostSteps} times`);
        }
        return program => {
            for (let i = 0; i < least; i += 1) { node(program); }
            if (most === Infinity) { return repeat(program, node); }
            const splits = [];
            for (let i = least; i < most; i += 1) {
                splits.push(program.push({ ways: [program.length + 1] }));
                node(program);
            }
            for (const split of splits) { program.at(split).ways.push(program.length); }
        };
    }
}

function repeat(program, node) {
    const split = program.push({ ways: [program.length + 1] });
    node(program);
    program.push({ ways: [split] });
    program.at(split).ways.push(program.length);
}

const ofUnit = test => program => { program.push({ test }); };
const ofAssertion = sign => program => { program.push({ assertion: assertions[sign] }); };

/** Steps: `{test}` takes a unit, `{assertion}` none, `{ways}` go on elsewhere; behind the last one is a match. */
class Program {
    #steps = [];
    #fail;

    constructor(fail) { this.#fail = fail; }

    get length() { return this.#steps.length; }
    at(index) { return this.#steps[index]; }

    push(step) {
        if (this.#steps.length >= mostSteps) { this.#fail('is too complex'); }
        return this.#steps.push(step) - 1;
    }

    /** Whether any part of `name` is a match. */
    isIn(name) {
        const seen = new Int32Array(this.#steps.length + 1).fill(-1);
        let now = [];
        for (let i = 0; i <= name.length; i += 1) {
            now.push(0);
            const takers = [];
            while (now.length > 0) {
                const index = now.pop();
                if (seen[index] === i) { continue; }
                seen[index] = i;
                if (index === this.#steps.length) { return true; }
                const { test, assertion, ways } = this.#steps[index];
                if (ways) { now.push(...ways); }
                if (assertion?.(name, i)) { now.push(index + 1); }
                if (test) { takers.push(index); }
            }
            now = takers.filter(index => i < name.length && this.#steps[index].test(name[i])).map(index => index + 1);
        }
        return false;
    }
}

function regexpMatcher(text, fail) {
    const program = new Program(fail);
    new Parser(text, fail).whole()(program);
    return name => program.isIn(name);
}

Object.assign(globalThis.__embeddedCore, { regexpMatcher });
}
