// URLSearchParams, after the URL Standard.
check('texts, objects and pairs make one', () => {
    const texts = [
        ['?b=2&a=1', 'b=2&a=1'], ['??a', '%3Fa='], ['a=b=c', 'a=b%3Dc'], ['&&a&', 'a='], ['=', '='], ['=x', '=x'],
            ['a+b=%20+c', 'a+b=++c'], ['%zz=%', '%25zz=%25'], ['%C5%BE=ž', '%C5%BE=%C5%BE'], ['%ff', '%EF%BF%BD='],
        ["!'()*-._~", '%21%27%28%29*-._%7E='], ['a\ud800', 'a%EF%BF%BD='], ['\ufeffa', '%EF%BB%BFa='],
            ['%EF%BB%BFa', '%EF%BB%BFa='], [undefined, ''], [null, 'null='], [5, '5='],
    ];
    for (const [init, wanted] of texts) { same(String(new URLSearchParams(init)), wanted, String(init)); }
    same([{ x: 1, y: null }, [['y', 2], new Set(['z', 3])], new Map([['m', 'n']]), new URLSearchParams('q=1'),
        function fn() {}]
        .map(init => String(new URLSearchParams(init))), ['x=1&y=null', 'y=2&z=3', 'm=n', 'q=1', '']);
    same([...new URLSearchParams({ a: 1, ['a']: 2, '\ud800': 'x', '\ufffd': 'y' })], [['a', '2'], ['\ufffd', 'y']]);
    for (const wrong of [[['only']], [['a', 'b', 'c']], ['ab'], [5], { [Symbol.iterator]: 5 }, [['a', Symbol()]],
        [null], { [Symbol.iterator]: undefined }]) {
        throws(() => new URLSearchParams(wrong));
    }
});

check('pairs are read, added, replaced and taken away', () => {
    const params = new URLSearchParams('b=2&a=1&b=3&c=x+y%20z&d');
    same([params.get('b'), params.getAll('b'), params.get('none'), params.has('b', '3'), params.has('b', '4'),
        params.has('b', undefined), params.size, params.get('c'), params.get('d')],
        ['2', ['2', '3'], null, true, false, true, 5, 'x y z', '']);
    params.set('b', '9');
    params.append('e', 'ž&=');
    same(String(params), 'b=9&a=1&c=x+y+z&d=&e=%C5%BE%26%3D');
    params.delete('a', 'other');
    params.delete('c', 'x y z');
    params.delete('d', undefined);
    params.set('new', null);
    same(String(params), 'b=9&a=1&e=%C5%BE%26%3D&new=null');
    throws(() => { 'use strict'; params.size = 3; });
});

check('sorting is by code units, and stable', () => {
    const params = new URLSearchParams('z=b&a=b&z=a&a=a&\ufffd=1&🙂=2&=3');
    params.sort();
    same([...params].map(pair => pair.join()), [',3', 'a,b', 'a,a', 'z,b', 'z,a', '🙂,2', '\ufffd,1']);
});

check('iterators follow the list', () => {
    const params = new URLSearchParams('a=1&b=2&c=3');
    same([[...params.keys()], [...params.values()], [...params.entries()].length],
        [['a', 'b', 'c'], ['1', '2', '3'], 3]);
    const seen = [];
    for (const [name] of params) {
        seen.push(name);
        params.delete(name);
    }
    same([seen, String(params)], [['a', 'c'], 'b=2']);
    const iterator = params.keys();
    same([iterator.next(), iterator.next(), iterator.next(), iterator[Symbol.iterator]() === iterator],
        [{ value: 'b', done: false }, { value: undefined, done: true }, { value: undefined, done: true }, true]);
    throws(() => iterator.next.call({}));
    same([params[Symbol.iterator] === params.entries, iterator.map(x => x).toArray],
        [true, Iterator.prototype.toArray]);
    const each = [];
    const self = {};
    params.forEach(function (value, name, list) { each.push(value, name, list === params, this === self); }, self);
    same(each, ['2', 'b', true, true]);
    throws(() => params.forEach({}));
});

check('many pairs are quick', () => {
    const params = new URLSearchParams();
    for (let i = 0; i < 50000; i += 1) { params.append(`k${i}`, i); }
    same([params.size, params.get('k49999'), new URLSearchParams(String(params)).size], [50000, '49999', 50000]);
});
