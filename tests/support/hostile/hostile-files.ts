import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';
import { ZipFile } from 'yazl';
import { movingPicture, picture } from '#tests/support/app/uploads-app.ts';
import type { NamedFile } from './file-form.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const SCRIPT = '<script>document.title="kabari-pwned"</script>';
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${SCRIPT}</svg>`;
const HTML = `<!doctype html><html><body onload=alert(1)>${SCRIPT}</body></html>`;
const JS = '/*GIF89a*/alert("kabari-pwned")';

export async function zipOf(content: Record<string, Buffer | string>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, bytes] of Object.entries(content)) zip.addBuffer(Buffer.from(bytes), name);
  zip.end();
  return buffer(zip.outputStream);
}

/** Pictures that decode, and contain something else as well. */
export async function polyglots(): Promise<NamedFile[]> {
  const small = { width: 24, height: 16 };
  const jpeg = await picture('jpeg', small);
  const png = await picture('png', small);
  const webp = await picture('webp', small);
  const zip = await zipOf({ 'a.html': HTML });
  const comment = Buffer.concat([
    jpeg.subarray(0, 2),
    latin1('\xff\xfe\0\x2a'),
    Buffer.from(HTML.slice(0, 40)),
    jpeg.subarray(2),
  ]);
  const exif = await sharp(jpeg)
    .withExif({ IFD0: { Copyright: SCRIPT, ImageDescription: HTML } })
    .toBuffer();
  const xmp = await sharp(png)
    .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${SCRIPT}</x:xmpmeta>`)
    .toBuffer();
  const tails = [HTML, SVG, JS, `<?php system($_GET["c"]);`, zip];
  return [
    { name: 'komentar.jpg', type: 'image/jpeg', bytes: comment },
    { name: 'exif.jpg', type: 'image/jpeg', bytes: exif },
    { name: 'xmp.png', type: 'image/png', bytes: xmp },
    ...tails.flatMap((tail) => [
      { name: 'ekor.jpg', type: 'image/jpeg', bytes: Buffer.concat([jpeg, Buffer.from(tail)]) },
      { name: 'ekor.png', type: 'image/png', bytes: Buffer.concat([png, Buffer.from(tail)]) },
      { name: 'ekor.webp', type: 'image/webp', bytes: Buffer.concat([webp, Buffer.from(tail)]) },
    ]),
    { name: 'js.gif', type: 'image/gif', bytes: latin1(`GIF89a/*${'\0'.repeat(20)}*/=1;alert(1)`) },
    { name: 'js.jpg', type: 'image/jpeg', bytes: latin1('GIF89a=1;alert(1)//') },
    { name: 'js.pdf', type: 'application/pdf', bytes: `%PDF-1.7\n${JS}\n%%EOF\n` },
    { name: 'html.pdf', type: 'application/pdf', bytes: `%PDF-1.7\n${HTML}\n%%EOF\n` },
    { name: 'aksi.pdf', bytes: '%PDF-1.7\n<</S/JavaScript/JS(app.alert(1))>>\n%%EOF\n' },
    { name: 'lari.pdf', bytes: '%PDF-1.7\n<</S/La#75nch/F(cmd.exe)>>\n%%EOF\n' },
    { name: 'html.ogg', type: 'audio/ogg', bytes: latin1(`OggS\0\x02${HTML}`) },
    { name: 'html.mp4', type: 'video/mp4', bytes: latin1(`\0\0\0\x18ftypisom\0\0\0\0isom${HTML}`) },
    { name: 'bungkus.docx', bytes: zip },
    { name: 'bungkus.zip', type: 'application/zip', bytes: zip },
  ];
}

export function disguises(): NamedFile[] {
  const running: [string, string][] = [
    ['text/html', HTML],
    ['image/svg+xml', SVG],
    ['application/xml', `<?xml version="1.0"?>${SVG}`],
    ['text/javascript', JS],
    ['application/x-httpd-php', '<?php system($_GET["c"]);'],
  ];
  const names = ['a.html', 'a.svg', 'a.xml', 'a.js', 'a.php', 'a.jpg', 'a.txt', 'a.csv', 'a.pdf'];
  return running.flatMap(([type, bytes]) => [
    ...names.map((name) => ({ name, type, bytes })),
    { name: 'a.png', type: 'image/png', bytes },
  ]);
}

export async function badNames(): Promise<NamedFile[]> {
  const bytes = await picture('png', { width: 24, height: 16 });
  const evil = [
    'foto.php.png',
    'foto.png.php',
    'foto.png\0.html',
    'foto.html\0.png',
    'foto\u202Egnp.html',
    'foto\u202Elmth.png',
    '../../../../etc/cron.d/foto.png',
    '..%2f..%2ffoto.png',
    '/etc/passwd.png',
    'C:\\Windows\\foto.png',
    'foto.png::$DATA',
    'foto.html:Zone.png',
    'CON.png',
    '.htaccess',
    `${'x'.repeat(300)}.png`,
    '<img src=x onerror=alert(1)>.png',
    'a";filename="b.html.png',
    "a'; drop table files;--.png",
    'foto.png\r\nContent-Type: text/html\r\n\r\n.png',
    '.png',
    '',
  ];
  return evil.map((name) => ({ name, type: 'image/png', bytes }));
}

const executable = /html|svg|xml|script|php|css|wasm|shockwave|x-sh|pdf/i;

/** No type runs, only media are inline, and a picture's metadata is gone. */
export async function isServedSafely(given: Response): Promise<boolean> {
  const type = given.headers.get('content-type') ?? '';
  const how = given.headers.get('content-disposition') ?? '';
  const bytes = Buffer.from(await given.arrayBuffer()).toString('latin1');
  return (
    !executable.test(type) &&
    given.headers.get('x-content-type-options') === 'nosniff' &&
    given.headers.get('content-security-policy') === "sandbox; default-src 'none'" &&
    (how.startsWith('inline')
      ? /^(image|audio|video)\//.test(type)
      : type === 'application/octet-stream') &&
    (!type.startsWith('image/') || !/script|onload|php|pwned/.test(bytes)) &&
    /^(inline|attachment); filename\*=UTF-8''[\w.~!%-]+$/.test(how) &&
    !/%(2f|5c|00|0d|0a)|%e2%80%ae/i.test(how)
  );
}

/** Files that are small in transit and large once opened. */
export async function bombs(): Promise<NamedFile[]> {
  const zeros = Buffer.alloc(8_000_000);
  const inner = await zipOf({ 'nol.bin': zeros });
  return [
    {
      name: 'raksasa.png',
      type: 'image/png',
      bytes: await picture('png', { width: 8_000, height: 6_000 }),
    },
    { name: 'bergerak.webp', type: 'image/webp', bytes: await movingPicture(12) },
    { name: 'nol.zip', type: 'application/zip', bytes: inner },
    { name: 'arsip.zip', type: 'application/zip', bytes: await zipOf({ 'a.zip': inner }) },
    {
      name: 'nol.docx',
      bytes: await zipOf({ '[Content_Types].xml': '', 'word/document.xml': zeros }),
    },
  ];
}
