// Addresses and passwords as they are compared and hashed.
'use strict';
{

const mostAddressBytes = 254;
const mostPasswordLength = 1000;
const encoder = new TextEncoder();

/** `{type: "account", <flag>: true, message}`. */
const accountException = (flag, message, fields = {}) =>
    ({ runtimeException: true, type: 'account', [flag]: true, ...fields, message });

const shown = value => (typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : `a ${typeof value}`);

/**
 * The one spelling of `address`, a `local@domain`, that stands for its user: lower case, and without the blanks that
 * the part before the @ may have. Throws `badAddress`.
 */
function canonicalAddress(address) {
    const bad = reason => accountException('badAddress', `address ${shown(address)}: ${reason}`);
    if (typeof address !== 'string') { throw bad('give a string like name@domain'); }
    if (!address.isWellFormed()) { throw bad('has half a character'); }
    const parts = address.normalize('NFC').split('@');
    if (parts.length !== 2) { throw bad('give one @ between name and domain'); }
    const [name, domain] = [parts[0].replaceAll(' ', '').toLowerCase(), parts[1].toLowerCase()];
    if (name === '' || domain === '') { throw bad('give both a name and a domain: name@domain'); }
    if (/[\p{C}\p{Z}/\\]/u.test(name)) { throw bad('the name has characters that nobody sees, or slashes'); }
    if (!/^[\p{L}\p{N}\p{M}_-]+(\.[\p{L}\p{N}\p{M}_-]+)*$/u.test(domain)) {
        throw bad('the domain is letters, digits and hyphens, with single dots between them');
    }
    const canonical = `${name}@${domain}`;
    if (encoder.encode(canonical).length > mostAddressBytes) { throw bad(`has more than ${mostAddressBytes} bytes`); }
    return canonical;
}

/** The bytes that are hashed for `password`; the caller overwrites them. Throws `badPassword`, which never shows it. */
function passwordBytes(password) {
    const bad = reason => accountException('badPassword', `the password ${reason}`);
    if (typeof password !== 'string') { throw bad(`is a ${typeof password}; give a string`); }
    if (password === '') { throw bad('is empty'); }
    if (!password.isWellFormed()) { throw bad('has half a character'); }
    // A character takes two units at most.
    if (password.length > 2 * mostPasswordLength || [...password].length > mostPasswordLength) {
        throw bad(`has more than ${mostPasswordLength} characters`);
    }
    return encoder.encode(password.normalize('NFC'));
}

Object.assign(globalThis.__embeddedCore, { canonicalAddress, passwordBytes, accountException });
}
