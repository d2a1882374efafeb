import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const corpora = join(import.meta.dirname, '../../../../shared/corpora');

const actions = ['alert(1)', 'alert`1`', 'top["al"+"ert"](1)', 'print()', 'fetch("//x.example/")'];
const handlers = ['onerror', 'onload', 'onclick', 'onfocus', 'ontoggle', 'onanimationstart'];
const tags = [
  'img src=x',
  'svg',
  'body',
  'details open',
  'video src=x',
  'audio src=x',
  'input autofocus',
  'iframe src=//x.example/',
  'object data=//x.example/',
  'embed src=//x.example/',
  'math href=//x.example/',
  'style',
  'marquee',
];
const schemes = [
  'javascript:',
  'JaVaScRiPt:',
  'java\tscript:',
  '\u0001javascript:',
  ' javascript:',
  'javascript&colon;',
  '&#106;avascript:',
  'data:text/html,',
  'vbscript:',
  'blob:',
  'file:///',
  '//x.example/',
  'https://user:pass@x.example/',
  'https:\\\\x.example/',
];
const frames = [
  (inside: string) => inside,
  (inside: string) => `"><${inside}`,
  (inside: string) => `</textarea></title></script>${inside}`,
  (inside: string) => `<a href="https://x.example/">${inside}</a>`,
  (inside: string) => `<br/${inside}>`,
  (inside: string) => `\u202e${inside}\u2066`,
];

/** Texts that would run wherever escaping is missing: our own, some 1,500 of them. */
function generated(): string[] {
  const run = tags.flatMap((tag) =>
    handlers.flatMap((handler) =>
      actions.slice(0, 2).map((action) => `<${tag} ${handler}=${action}>`),
    ),
  );
  const lead = schemes.flatMap((scheme) =>
    actions.flatMap((action) => [
      `<a href="${scheme}${action}">x</a>`,
      `<a href=${scheme}${action} onclick=${action}>x</a>`,
      `${scheme}${action}`,
    ]),
  );
  const rest = [
    '<script>alert(1)</script>',
    '<script src=//x.example/></script>',
    '<<script>alert(1)//<</script>',
    '<style>@import "//x.example/";</style>',
    '<link rel=stylesheet href=//x.example/>',
    '<meta http-equiv=refresh content="0;url=//x.example/">',
    '<base href=//x.example/>',
    '<template><img src=x onerror=alert(1)></template>',
    '<a href="https://x.example/" style="position:fixed;inset:0">x</a>',
    '{{constructor.constructor("alert(1)")()}}',
    '${alert(1)}',
    '__proto__',
    'constructor',
    '\u0000',
    '\ud800',
    'a'.repeat(20_000),
    '<a '.repeat(5_000),
    'https://'.repeat(2_000),
  ];
  return [...run, ...lead, ...rest].flatMap((inside, index) => {
    const frame = frames[index % frames.length];
    return frame && inside.length < 1_000 ? [inside, frame(inside)] : [inside];
  });
}

const ownLines = (text: string): string[] => text.split(/\r?\n/).filter((line) => line !== '');

/**
 * Texts that strangers could write: generated ones, and public collections if these are beside the repository.
 * @returns each text once; `from` lists the collections found
 */
export async function hostileTexts(): Promise<{ texts: string[]; from: string[] }> {
  const from = ['generated'];
  const texts = generated();
  const xss = join(corpora, 'xss.txt');
  if (existsSync(xss)) {
    texts.push(...ownLines(await readFile(xss, 'utf8')));
    from.push('xss.txt');
  }
  const naughty = join(corpora, 'blns.json');
  if (existsSync(naughty)) {
    texts.push(...(JSON.parse(await readFile(naughty, 'utf8')) as string[]));
    from.push('blns.json');
  }
  return { texts: [...new Set(texts)], from };
}
