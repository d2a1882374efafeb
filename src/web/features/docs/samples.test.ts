import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { languages, readCurl, sampleIn } from './samples.ts';

const page = await readFile(join(import.meta.dirname, '../../../../docs/api.md'), 'utf8');
const scripts = [...page.matchAll(/```sh\n([\s\S]*?)\n```/g)].map(([, script = '']) => script);

const run = promisify(execFile);

const known = new Map<string, boolean>();

/** Whether a program is installed; Python only with the library that the samples use. */
function isHere(program: string): boolean {
  const found = known.get(program) ?? works(program);
  known.set(program, found);
  return found;
}

function works(program: string): boolean {
  const given = program === 'python3' ? ['-c', 'import requests'] : ['--version'];
  try {
    execFileSync(program, given, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const runners: Record<'node' | 'php' | 'python', (code: string) => readonly [string, string[]]> = {
  node: (code) => [process.execPath, ['--input-type=module', '-e', code]],
  php: (code) => ['php', ['-r', code.replace('<?php\n', '')]],
  python: (code) => ['python3', ['-c', code]],
};

test('every example of the page is parsed and available in all languages', () => {
  expect(scripts.length).toBeGreaterThan(10);
  for (const script of scripts) {
    const request = readCurl(script);
    expect(request, script).toBeDefined();
    for (const language of languages) {
      const code = sampleIn(language, script);
      expect(code).toContain('/v1/');
      if (language !== 'curl') expect(code, script).not.toMatch(/\$(KEY|ID|NEW_KEY)\b/);
    }
  }
});

const OF_EACH_METHOD = process.env['TEST_ALL'] === '1' ? Infinity : 2;

test('each sample makes the same call as curl', async () => {
  const calls: { method: string; url: string; headers: object; body: unknown }[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => (text += String(part)));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      calls.push({ method, url, headers, body: text === '' ? undefined : JSON.parse(text) });
      response.end('{}');
    });
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const asWritten = [
    ...scripts.slice(0, 3),
    ...['POST', 'PUT', 'DELETE'].flatMap((method) =>
      scripts.filter((script) => script.includes(`-X ${method} `)).slice(0, OF_EACH_METHOD),
    ),
    `curl http://x/v1/a -H "Authorization: Bearer $KEY" -d '{"a": [true, null, "x\\\\y \\"z\\""], "b": {}}'`,
  ];
  try {
    for (const script of asWritten) {
      const local = script.replace(/https?:\/\/[^/"]+/, `http://127.0.0.1:${port}`);
      const expected = readCurl(local);
      for (const [language, runner] of Object.entries(runners)) {
        const [program, given] = runner(sampleIn(language as keyof typeof runners, local));
        if (!isHere(program)) continue;
        await run(program, given);
        const call = calls.pop();
        const { pathname, search } = new URL(expected?.url ?? '');
        expect(call, `${language}: ${local}`).toMatchObject({
          method: expected?.method,
          url: pathname + search,
          headers: Object.fromEntries(
            (expected?.headers ?? []).map(([name, value]) => [name.toLowerCase(), value]),
          ),
        });
        // PHP does not distinguish an empty list from an empty object.
        const plain = (value: unknown) => JSON.stringify(value)?.replaceAll('{}', '[]');
        expect(plain(call?.body), language).toBe(plain(expected?.body));
      }
    }
  } finally {
    await new Promise((done) => server.close(done));
  }
});

test('a sample with a file sends the same form as curl', async () => {
  const script = scripts.find((one) => one.includes('-F ')) ?? '';
  const folder = await mkdtemp(join(tmpdir(), 'kabari-samples-'));
  await writeFile(join(folder, readCurl(script)?.form?.file ?? ''), 'the bytes of a picture');
  const forms: { type: string; parts: unknown[] }[] = [];
  const server = createServer((request, response) => {
    const type = request.headers['content-type'] ?? '';
    void buffer(request)
      .then((body) => new Response(new Uint8Array(body), { headers: { 'content-type': type } }))
      .then((form) => form.formData())
      .then(async (form) => {
        const texts = [...form].map(([name, value]) =>
          typeof value === 'string' ? [name, value] : [name, value.name, value.size],
        );
        forms.push({ type: request.method ?? '', parts: texts });
      })
      .finally(() => response.end('{}'));
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  try {
    const local = script.replace(/https?:\/\/[^/"]+/, `http://127.0.0.1:${port}`);
    const { file, texts } = readCurl(local)?.form ?? { file: '', texts: [] };
    const programs = { ...runners, curl: (code: string) => ['sh', ['-c', code]] as const };
    for (const [language, runner] of Object.entries(programs)) {
      const [program, given] = runner(sampleIn(language as keyof typeof programs, local));
      if (!isHere(language === 'curl' ? 'curl' : program)) continue;
      await run(program, given, { cwd: folder });
      const form = forms.pop();
      expect(form?.type, language).toBe('POST');
      expect(form?.parts, language).toHaveLength(texts.length + 1);
      for (const part of [['file', file, 22], ...texts])
        expect(form?.parts, language).toContainEqual(part);
    }
  } finally {
    await new Promise((done) => server.close(done));
    await rm(folder, { recursive: true, force: true });
  }
});

test('keeps text that is not a curl call', () => {
  for (const script of ['npm install', 'curl', 'curl -s x', "curl https://a -d 'no json'"]) {
    expect(readCurl(script)).toBeUndefined();
    expect(sampleIn('php', script)).toBe(script);
  }
});
