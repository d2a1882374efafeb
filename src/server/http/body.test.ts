import { describe, expect } from 'vitest';
import { brokenMultiparts } from '#tests/support/hostile/broken-multipart.ts';
import { type RunningApp, test } from '#tests/support/app/running-app.ts';

const post = async ({ app }: RunningApp, type: string, payload: string | Buffer) => {
  const headers = { 'content-type': type };
  const response = await app.inject({ method: 'POST', url: '/api', payload, headers });
  return { status: response.statusCode, body: response.json() };
};

const part = (name: string, value: string, more = '') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n${more}\r\n${value}\r\n`;
const B = 'multipart/form-data; boundary=b';

describe('a broken multipart body', () => {
  test('is refused with a sentence, for any error in it', async ({ openApp }) => {
    const container = await openApp({ env: { LOG_LEVEL: 'warn' } });
    for (const [what, { type, body }] of brokenMultiparts('act')) {
      const answer = await post(container, type, body);
      expect(answer, what).toMatchObject({
        status: 400,
        body: { code: 0, msg: expect.stringMatching(/^Permintaan .+\.$/) },
      });
    }
    // A client error, so the log stays empty.
    expect(container.lines).toEqual([]);
  });

  test('names the error where it can be known', async ({ openApp }) => {
    const container = await openApp();
    const why = async (type: string, body: string) =>
      (await post(container, type, Buffer.from(body, 'latin1'))).body.error.facts.why;
    const whole = `${part('act', 'app_config')}--b--`;
    expect(await why('multipart/form-data', whole)).toContain('boundary');
    expect(await why(`${B}; boundary=c`, whole)).toContain('boundary');
    expect(await why(B, part('act', 'app_config'))).toBe('isi multipart rusak atau terpotong');
    const nested = 'Content-Type: Multipart/mixed; boundary=c\r\n';
    expect(await why(B, `${part('act', 'x', nested)}--b--`)).toContain('di dalam multipart');
    const other = 'Content-Type: text/plain; charset=utf-16\r\n';
    for (const [type, body] of [
      [`${B}; charset=iso-8859-1`, whole],
      [B, `${part('act', 'x', other)}--b--`],
      [B, `${part('act', '\xff')}--b--`],
    ] as const) {
      expect(await why(type, body)).toBe('isian bukan UTF-8');
    }
  });

  test('is refused by its size before it is read', async ({ openApp }) => {
    const container = await openApp();
    const many = `${Array.from({ length: 61 }, (_, at) => part(`p${at}`, '1')).join('')}--b--`;
    const heavy = `${part('act', 'y'.repeat(65_537))}--b--`;
    const huge = `${part('act', 'y'.repeat(200_000))}--b--`;
    for (const body of [many, heavy, huge]) {
      expect(await post(container, B, body)).toMatchObject({
        status: 413,
        body: { error: { type: 'body_too_large' } },
      });
    }
  });
});

test('multipart as browsers and programs write it is read', async ({ openApp }) => {
  const container = await openApp();
  const form = new FormData();
  form.set('act', 'app_config');
  form.set('token', '');
  const browsers = new Response(form);
  const bodies: [string, Buffer | string][] = [
    [browsers.headers.get('content-type') ?? '', Buffer.from(await browsers.arrayBuffer())],
    ['multipart/form-data; boundary="b"', `${part('act', 'app_config')}--b--\r\n`],
    ['Multipart/Form-Data; charset=utf-8; Boundary=b', `${part('act', 'app_config')}--b--`],
    [
      B,
      `halo\r\n${part('act', 'app_config', 'Content-Type: text/plain; charset=UTF-8\r\n')}--b--\r\nx`,
    ],
  ];
  for (const [type, body] of bodies) {
    expect(await post(container, type, body), type).toMatchObject({
      status: 200,
      body: { code: 1 },
    });
  }
  const letters = await post(
    container,
    B,
    `${part('act', 'user_login')}${part('phone', 'é✓🙂')}--b--`,
  );
  expect(letters.status).toBe(403);
});
