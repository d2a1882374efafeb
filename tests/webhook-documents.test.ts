import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished } from 'vitest';
import { SavedWebhook } from '#contract/webhooks.ts';
import { freePort } from '#server/infra/embedded-postgres/embedded.ts';
import { callerOf, halo } from './support/app/api-caller.ts';
import { test } from './support/app/running-app.ts';
import { endProcess } from './support/end-process.ts';
import { waitFor } from './support/wait-for.ts';
import { setWebhook } from './support/webhooks/webhook-caller.ts';

const page = await readFile(join(import.meta.dirname, '../docs/webhooks.md'), 'utf8');

const programsIn = (language: string): string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, code = '']) => code,
  );

const runs = (program: string, given: readonly string[]): boolean =>
  spawnSync(program, given, { stdio: 'ignore' }).status === 0;

type Runner = { file: string; given: (file: string, port: number) => [string, ...string[]] };

const receivers: Record<string, Runner | undefined> = {
  js: { file: 'hook.mjs', given: (file) => [process.execPath, file] },
  php: runs('php', ['--version'])
    ? { file: 'hook.php', given: (file, port) => ['php', '-S', `127.0.0.1:${port}`, file] }
    : undefined,
  python: runs('python3', ['--version'])
    ? { file: 'hook.py', given: (file) => ['python3', file] }
    : undefined,
  go: runs('go', ['version'])
    ? { file: 'hook.go', given: (file) => ['go', 'run', file] }
    : undefined,
};

async function folderOfTest(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kabari-webhook-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function startReceiver(code: string, { file, given }: Runner, port: number, secret: string) {
  const path = join(await folderOfTest(), file);
  await writeFile(path, code);
  const [program, ...words] = given(path, port);
  const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) };
  const child: ChildProcess = spawn(program, words, { env, stdio: 'ignore', detached: true });
  // Some programs are run by another one, so their group ends.
  onTestFinished(() => endProcess(child, 'SIGTERM', { group: true }));
  await waitFor(async () => {
    const { status } = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' });
    expect(status).toBe(401);
  });
}

type Signed = { id?: string; at?: Date; body?: string; sent?: string; secrets: string[] };

function signed({ id = 'whd_1', at = new Date(), body = BODY, sent = body, secrets }: Signed) {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': secrets.map((one) => new Webhook(one).sign(id, at, body)).join(' '),
  };
  return { headers, body: sent };
}

const BODY =
  '{"type":"message.received","timestamp":"2026-11-24T03:15:09.120Z","data":{"a":"é 👍"}}';
const OTHER = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);

for (const [language, runner] of Object.entries(receivers)) {
  test.skipIf(!runner)(
    `the documented ${language} program accepts genuine posts only, and an installation confirms it`,
    async ({ db, openApp }) => {
      if (!runner) return;
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/`;
      const running = await openApp({ works: true, env: { WEBHOOK_ORIGINS: new URL(url).origin } });
      const ani = await callerOf(running, db, { saldo: 1_000 });
      const made = SavedWebhook().parse((await setWebhook(ani, { url })).body);
      const secret = made.secret ?? '';
      expect(made.webhook).toMatchObject({ state: 'off', off_reason: 'unconfirmed' });

      await startReceiver(programsIn(language)[0] ?? '', runner, port, secret);
      const own = [secret];
      for (const [what, request, status] of [
        ['genuine', signed({ secrets: own }), 204],
        ['signed twice, for a new secret', signed({ secrets: [OTHER, secret] }), 204],
        ['4 minutes old', signed({ secrets: own, at: ago(240) }), 204],
        ['6 minutes old', signed({ secrets: own, at: ago(360) }), 401],
        ['6 minutes ahead', signed({ secrets: own, at: ago(-360) }), 401],
        ['changed', signed({ secrets: own, sent: BODY.replace('é', 'e') }), 401],
        ['signed by somebody else', signed({ secrets: [OTHER] }), 401],
        ['signed by nobody', signed({ secrets: [] }), 401],
        ['without headers', { headers: {}, body: BODY }, 401],
      ] as const) {
        const answer = await fetch(url, { method: 'POST', ...request });
        expect([what, answer.status]).toEqual([what, status]);
      }
      const { headers, body } = signed({ secrets: own });
      for (const changed of [{ 'webhook-id': 'whd_2' }, { 'webhook-timestamp': '²' }]) {
        const odd = { method: 'POST', headers: { ...headers, ...changed }, body };
        expect((await fetch(url, odd)).status).toBe(401);
      }

      const saved = SavedWebhook().parse((await setWebhook(ani, { url })).body);
      expect(saved.webhook.state).toBe('on');
      await ani.call('/v1/messages', { body: halo });
      await waitFor(async () => {
        const { data } = (await ani.call('/v1/deliveries')).body;
        expect(data.map(({ type }: { type: string }) => type)).toContain('message.read');
        expect(new Set(data.map(({ state }: { state: string }) => state))).toEqual(
          new Set(['delivered']),
        );
      });
    },
  );
}

test.skipIf(!runs('openssl', ['version']))(
  'the documented shell check tells genuine bodies from others',
  async () => {
    const folder = await folderOfTest();
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const check = async (body: string, signature: string): Promise<string> => {
      await writeFile(join(folder, 'body.json'), body);
      const env = {
        PATH: process.env['PATH'],
        WEBHOOK_SECRET: secret,
        ID: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        TIMESTAMP: '1614265330',
        SIGNATURE: signature,
      };
      const options = { cwd: folder, env, encoding: 'utf8' as const };
      return spawnSync('sh', ['-c', programsIn('bash')[0] ?? ''], options).stdout.trim();
    };
    // The test vector of Standard Webhooks.
    const body = '{"test": 2432232314}';
    const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
    expect(await check(body, signature)).toBe('genuine');
    expect(await check(body, `v1,AAAA ${signature}`)).toBe('genuine');
    expect(await check(`${body}\n`, signature)).toBe('refused');
    expect(await check(body, 'v1,AAAA')).toBe('refused');
    expect(await check(body, '')).toBe('refused');
  },
);

test('the documented reader follows the feed', async ({ db, openApp }) => {
  const running = await openApp({ works: true });
  const ani = await callerOf(running, db, { saldo: 1_000 });
  const address = await running.app.listen({ port: 0, host: '127.0.0.1' });
  const code = programsIn('js')[1] ?? '';
  const file = join(await folderOfTest(), 'feed.mjs');
  await writeFile(file, code.replace("'latest'", '0'));
  const env = { PATH: process.env['PATH'], KABARI_KEY: ani.key, KABARI_URL: address };
  const child = spawn(process.execPath, [file], { env });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (more: string) => (out += more));
  onTestFinished(() => endProcess(child));
  await ani.call('/v1/messages', { body: halo });
  await waitFor(() => expect(out).toMatch(/^\d+ message\.accepted\n(?:.*\n)*\d+ message\.read$/m));
});
