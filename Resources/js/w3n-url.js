// URLs of the scheme w3n: `w3n://<app domain>[/<command>][?<name>=<value>&…]`. `core-load.js` takes `parseW3NURL` from
// here.
'use strict';
{

const maxLength = 8192;
const domain = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/;

function refuse(url, problem) {
    const shown = String(url).slice(0, 80);
    throw {
        runtimeException: true, type: 'w3n-url', badURL: true,
        message: `${JSON.stringify(shown)} ${problem}; write it like w3n://chat.app.privacysafe.io/command?name=value`,
    };
}

/** `{appDomain, command?, params: [[name, value]]}`. Throws a `w3n-url` exception with `badURL`. */
function parseW3NURL(url) {
    if (typeof url !== 'string' || url.length > maxLength) { refuse(url, `is no text of up to ${maxLength} letters`); }
    const parts = /^w3n:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?(?:#.*)?$/i.exec(url);
    if (!parts) { refuse(url, 'does not begin with w3n://'); }
    const [, host, path = '', query = ''] = parts;
    const appDomain = host.toLowerCase();
    if (!domain.test(appDomain) || appDomain.length > 253) { refuse(url, 'names no domain of an app'); }
    let command;
    try {
        command = decodeURIComponent(path);
    } catch {
        refuse(url, 'has a command that is not percent-encoded UTF-8');
    }
    if (command.includes('/')) { refuse(url, 'has more than one name in its path'); }
    return {
        appDomain, params: [...new URLSearchParams(query)], ...(command === '' ? {} : { command }),
    };
}

globalThis.__platformParts.parseW3NURL = parseW3NURL;
}
