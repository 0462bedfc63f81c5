// Patterns for names that components give: matched in time that grows with pattern times name, whatever they are.
'use strict';
{

const { badArgument, regexpMatcher } = globalThis.__embeddedCore;

/** Units of a pattern. */
const longestPattern = 512;

/** Whether a name is that text, where each `*` stands for anything; letters of either case. */
function starMatcher(pattern) {
    const [first, ...rest] = pattern.toLowerCase().split('*');
    const last = rest.pop();
    return given => {
        const name = given.toLowerCase();
        if (last === undefined) { return name === first; }
        if (!name.startsWith(first)) { return false; }
        let from = first.length;
        for (const part of rest) {
            const found = name.indexOf(part, from);
            if (found < 0) { return false; }
            from = found + part.length;
        }
        return name.length - last.length >= from && name.endsWith(last);
    };
}

/** A function that tells whether a name matches `given`: a text with stars, or `{p, type}`. */
function nameMatcher(path, given) {
    const { p, type } = typeof given === 'string' ? { p: given, type: 'pattern' } : given ?? {};
    if (typeof p !== 'string' || p.length > longestPattern) {
        throw badArgument(path, `"name" has no pattern of at most ${longestPattern} units`);
    }
    const fail = what => { throw badArgument(path, `the regular expression ${what}`); };
    switch (type) {
        case 'pattern': return starMatcher(p);
        case 'exact': return name => name === p;
        case 'regexp': return regexpMatcher(p, fail);
        default: throw badArgument(path, 'the type of "name" is none of pattern, regexp, exact');
    }
}

Object.assign(globalThis.__embeddedCore, { nameMatcher });
}
