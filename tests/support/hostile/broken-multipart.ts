export type Multipart = { type: string; body: Buffer };

const B = 'multipart/form-data; boundary=b';
const NAMED = 'Content-Disposition: form-data; name="act"';
const part = `--b\r\n${NAMED}\r\n\r\napp_config\r\n`;
const END = '--b--\r\n';
const whole = part + END;
const headed = (headers: string, value: string): string =>
  `--b\r\n${headers}\r\n\r\n${value}\r\n${END}`;
const JPEG = '\xff\xd8\xff\xe0';
const fileOf = (name: string): string =>
  `--b\r\nContent-Disposition: form-data; name="${name}"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\n${JPEG}`;

const texts = (field: string): Record<string, readonly [type: string, body: string]> => ({
  'without a boundary': ['multipart/form-data', whole],
  'with an empty boundary': ['multipart/form-data; boundary=', whole],
  'with an empty boundary in quotes': ['multipart/form-data; boundary=""', whole],
  'whose boundary never comes': ['multipart/form-data; boundary=z', whole],
  'with a boundary of 1,000 letters': [`multipart/form-data; boundary=${'z'.repeat(1_000)}`, whole],
  'that is something else': [B, '{"act":"app_config"}'],
  'without a part': [B, END],
  'of one line break': [B, '\r\n'],
  'cut short in its first boundary': [B, '--'],
  'cut short in the headers of a part': [B, '--b\r\nContent-Disposition: form-da'],
  'cut short after the headers of a part': [B, `--b\r\n${NAMED}\r\n\r\n`],
  'cut short in a part': [B, `--b\r\n${NAMED}\r\n\r\napp_con`],
  'cut short between parts': [B, part],
  'cut short in its last boundary': [B, `${part}--b-`],
  'cut short in the headers of a file': [B, fileOf(field).slice(0, 90)],
  'cut short in a file': [B, fileOf(field)],
  'with a part without a name': [B, headed('Content-Disposition: form-data', 'x')],
  'with a part without headers': [B, `--b\r\n\r\nx\r\n${END}`],
  'with a part of broken headers': [B, headed('\0\x01: x', 'x')],
  'with a part whose name is broken': [B, headed('Content-Disposition: form-data; name="a', 'x')],
  'with a field called __proto__': [B, headed(NAMED.replace('act', '__proto__'), 'x')],
  'with a file called __proto__': [B, `${fileOf('__proto__')}\r\n${END}`],
  'with a field of broken JSON': [
    B,
    headed(`${NAMED.replace('act', field)}\r\nContent-Type: application/json`, '{"a'),
  ],
  'in multipart': [
    B,
    headed(
      `${NAMED.replace('act', field)}\r\nContent-Type: multipart/mixed; boundary=c`,
      `--c\r\nContent-Disposition: file; filename="a.jpg"\r\n\r\n${JPEG}\r\n--c--`,
    ),
  ],
  'with line breaks of its own': [B, whole.replaceAll('\r\n', '\n')],
  'with letters that are not UTF-8': [B, headed(NAMED, 'app_\xff\xfe')],
});

/** Broken forms by their fault; `field` is the one that the endpoint knows. */
export const brokenMultiparts = (field: string): [what: string, Multipart][] =>
  Object.entries(texts(field)).map(([what, [type, body]]) => [
    what,
    { type, body: Buffer.from(body, 'latin1') },
  ]);
