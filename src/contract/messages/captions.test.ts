import fc from 'fast-check';
import { expect, test } from 'vitest';
import { captionNodes, captionText, foldAt, safeHref, type CaptionNode } from './captions.ts';

const text = (words: string): CaptionNode => ({ kind: 'text', text: words });
const link = (href: string, words = href): CaptionNode => ({ kind: 'link', href, text: words });
const br: CaptionNode = { kind: 'break' };
const words = (nodes: readonly CaptionNode[]): string =>
  nodes.map((node) => (node.kind === 'break' ? '\n' : node.text)).join('');

test('breaks lines at line ends and <br> in every spelling', () => {
  expect(captionNodes('a\nb<br>c<BR/>d<br />e\r\nf')).toEqual(
    [...'abcdef'].flatMap((letter, index) => (index === 0 ? [text(letter)] : [br, text(letter)])),
  );
});

test('breaks lines at <br> with attributes but not at tags that only begin like it', () => {
  for (const tag of ['<br class="x">', '<BR >', "<br\tid='a'/>", '<br/ >', '<br\n>']) {
    expect(captionNodes(`a${tag}b`)).toEqual([text('a'), br, text('b')]);
  }
  for (const other of ['<brx>', '<br-a>', '< br>', '<broken class="x">']) {
    expect(captionNodes(other)).toEqual([text(other)]);
  }
  expect(captionNodes('<a href="https://x.example/">y</a id="z">z')).toEqual([
    link('https://x.example/', 'y'),
    text('z'),
  ]);
});

test('shows every tag but a and br as text', () => {
  for (const caption of [
    '<b>tebal</b>',
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<abbr>Rp</abbr>',
    '<b /a>',
    '<a',
    'a < b > c',
    '</br>',
    '<<a>',
  ]) {
    expect(words(captionNodes(caption))).toBe(caption === '<<a>' ? '<' : caption);
  }
});

test.each([
  ['Menu: <a href="https://x.example/">di sini</a>!', 'Menu: di sini!'],
  ['Pagi,<br class="x">kue\r\nlapis  ada?<BR/>', 'Pagi, kue lapis ada?'],
  ['<a href="javascript:x">klik</a> <a>y', 'klik y'],
  ['https://toko.example/p?a=1&b=2', 'https://toko.example/p?a=1&b=2'],
  ['2 < 3 > 1, <b>tebal</b> &amp;', '2 < 3 > 1, <b>tebal</b> &amp;'],
  ['<br><br>\n', ''],
  ['', ''],
])('shows %j in a list as %j', (caption, line) => {
  expect(captionText(caption)).toBe(line);
});

test('shows the words of the bubble on one line in a list', () => {
  const bits = fc.constantFrom(
    '<br>',
    '<a href="https://x.example/">',
    '</a>',
    'kue',
    '\n',
    ' ',
    '<',
  );
  fc.assert(
    fc.property(fc.array(bits, { maxLength: 12 }), (pieces) => {
      const caption = pieces.join('');
      const shown = words(captionNodes(caption)).replace(/\s+/g, ' ').trim();
      expect(captionText(caption)).toBe(shown);
      expect(captionText(caption)).not.toMatch(/<br>|<\/?a\b/);
    }),
  );
});

test('links addresses without trailing punctuation', () => {
  expect(captionNodes('Lihat https://toko.example/p?a=1&b=2, ya.')).toEqual([
    text('Lihat '),
    link('https://toko.example/p?a=1&b=2'),
    text(', ya.'),
  ]);
  expect(captionNodes('(http://x.example/a)')).toEqual([
    text('('),
    link('http://x.example/a'),
    text(')'),
  ]);
  expect(captionNodes('https://x.example/a_(b)')).toEqual([link('https://x.example/a_(b)')]);
  expect(captionNodes('(https://x.example/a_(b)).')).toEqual([
    text('('),
    link('https://x.example/a_(b)'),
    text(').'),
  ]);
  for (const after of ['.', ',', '!', '?', ';', ':', ')', ']', '}']) {
    expect(captionNodes(`https://x.example/a${after}`)).toEqual([
      link('https://x.example/a'),
      text(after),
    ]);
  }
});

test('keeps only the safe address of an <a>', () => {
  expect(
    captionNodes('<a href="https://x.example/" onclick="x()" target=_top>di sini</a>!'),
  ).toEqual([link('https://x.example/', 'di sini'), text('!')]);
  expect(captionNodes("<a href='https://x.example/?a=1&amp;b=2'>y</a>")).toEqual([
    link('https://x.example/?a=1&b=2', 'y'),
  ]);
});

test('reads an address from any spelling of the attribute, with entities', () => {
  for (const tag of [
    '<a href=https://x.example/?a=1&b=%22 id=z>',
    '<A HREF = "https://x.example/?a=1&amp;b=&quot;">',
    "<a\nid='z' href\t=\t'https://x.example/?a=1&amp;b=&quot;'>",
  ]) {
    expect(captionNodes(`${tag}y</a>`)).toEqual([link('https://x.example/?a=1&b=%22', 'y')]);
  }
  expect(captionNodes('<a data-href="https://x.example/">y</a>')).toEqual([text('y')]);
  expect(safeHref('HTTPS://X.example')).toBe('https://x.example/');
});

test('splits a link over several lines into one for each line with words', () => {
  const href = 'https://x.example/';
  expect(captionNodes(`<a href="${href}">satu\n\ndua<br>tiga</a>\nempat`)).toEqual([
    link(href, 'satu'),
    br,
    br,
    link(href, 'dua'),
    br,
    link(href, 'tiga'),
    br,
    text('empat'),
  ]);
});

test('treats a tag of more than 2,200 characters as text', () => {
  const tag = (length: number) => `<br ${'x'.repeat(length - 5)}>`;
  expect(captionNodes(tag(2_200))).toEqual([br]);
  expect(captionNodes(tag(2_201))).toEqual([text(tag(2_201))]);
});

test.each([
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'file:///etc/passwd',
  'tel:+62',
  'mailto:a@b.c',
  '//x.example',
  '/saldo',
  'https://user@x.example',
  'https://user:pass@x.example',
  'https://:pass@x.example',
  'https://x.example/a b',
  'https:\\\\x.example',
  'https://',
])('never links %j', (raw) => {
  expect(safeHref(raw)).toBeUndefined();
  expect(captionNodes(`<a href="${raw}">klik</a>`)).toContainEqual(text('klik'));
});

test('does not link an address beyond the length limit', () => {
  const start = 'https://x.example/';
  expect(safeHref(start + 'a'.repeat(2_000 - start.length))).toHaveLength(2_000);
  expect(safeHref(start + 'a'.repeat(2_001 - start.length))).toBeUndefined();
});

test('does not link an address inside a link again', () => {
  expect(captionNodes('<a href="https://x.example/">https://y.example/</a>')).toEqual([
    link('https://x.example/', 'https://y.example/'),
  ]);
});

test('shows a host in another script in its resolved form', () => {
  const [node] = captionNodes('https://аррӏе.com/');
  expect(node).toMatchObject({ kind: 'link', text: expect.stringContaining('xn--') });
});

test('neither drops nor adds words', () => {
  const plain = fc.string({ unit: 'grapheme' }).filter((caption) => !/[<\r]|xn--/i.test(caption));
  fc.assert(
    fc.property(plain, (caption) => {
      expect(words(captionNodes(caption))).toBe(caption);
    }),
  );
});

test('links to http or https only for any input', () => {
  const bits = fc.constantFrom(
    '<a href="',
    '<a href=',
    '">',
    '>',
    '</a>',
    '<br>',
    'javascript:',
    'https://',
    'x.example',
    '@',
    '\\',
    '\t',
    '&amp;',
    "'",
    '"',
    '<',
    ' ',
  );
  fc.assert(
    fc.property(fc.array(bits, { maxLength: 20 }), (pieces) => {
      for (const node of captionNodes(pieces.join(''))) {
        if (node.kind !== 'link') continue;
        const url = new URL(node.href);
        expect(['http:', 'https:']).toContain(url.protocol);
        expect(url.username + url.password).toBe('');
      }
    }),
    { numRuns: 2_000 },
  );
});

test.each(['<', '<a ', 'http://', 'http://)', '<a href="', '(', '&amp;', '\n'])(
  'parses a megabyte of %j in linear time',
  (piece) => {
    const caption = piece.repeat(Math.ceil(1_000_000 / piece.length));
    const from = process.cpuUsage();
    captionNodes(caption);
    // 50 ms of work. Quadratic time would take hours.
    expect(process.cpuUsage(from).user).toBeLessThan(20_000_000);
  },
);

test('folds a long caption but never inside a tag or a letter', () => {
  expect(foldAt('pendek')).toBeUndefined();
  expect(foldAt('a'.repeat(4_096))).toBeUndefined();
  expect(foldAt('a'.repeat(5_000))).toBe(4_096);
  const tag = `${'a'.repeat(4_090)}<a href="https://x.example/">b</a>${'c'.repeat(900)}`;
  expect(foldAt(tag)).toBe(4_090);
  const smile = `${'a'.repeat(4_095)}🙂${'c'.repeat(900)}`;
  expect(foldAt(smile)).toBe(4_095);
  // Text that only resembles a tag, a tag that ends before the cut, or a tag at the start does not move the cut.
  expect(foldAt(`<${'a'.repeat(5_000)}`)).toBe(4_096);
  expect(foldAt(`${'a'.repeat(4_000)}<br>${'c'.repeat(1_000)}`)).toBe(4_096);
  expect(foldAt(`${'a'.repeat(1_000)}<${'c'.repeat(5_000)}`)).toBe(4_096);
});
