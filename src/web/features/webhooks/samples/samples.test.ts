import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { signatureSamples } from '#web/features/webhooks/samples/samples.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const body = JSON.stringify({ type: 'message.read', data: { text: 'Pesanan “siap” 🎉' } });

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

type Runner = { program: string; file: string; args?: (port: number) => readonly string[] };

/** Runs a sample as its reader would. @returns its address, and a function that stops it. */
async function run({ program, file, args = () => [] }: Runner, code: string) {
  const folder = await mkdtemp(join(tmpdir(), 'kabari-sample-'));
  await writeFile(join(folder, file), code);
  const port = await freePort();
  const env = { PATH: process.env['PATH'], WEBHOOK_SECRET: secret, PORT: String(port) };
  const child = spawn(program, [...args(port), join(folder, file)], { env, stdio: 'ignore' });
  const stop = async () => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    await rm(folder, { recursive: true });
  };
  return { address: `http://127.0.0.1:${port}/`, stop };
}

const post = async (address: string, headers: Record<string, string>, text = body) =>
  (await fetch(address, { method: 'POST', headers, body: text })).status;

function signed(at: Date, key = secret): Record<string, string> {
  const id = 'whd_01J8Z3K4M5N6P7Q8R9S0T1V2W3';
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(key).sign(id, at, body),
  };
}

const runners: Readonly<Record<'node' | 'php' | 'python', Runner>> = {
  node: { program: process.execPath, file: 'receiver.mjs' },
  php: { program: 'php', file: 'receiver.php', args: (port) => ['-S', `127.0.0.1:${port}`] },
  python: { program: 'python3', file: 'receiver.py' },
};

for (const [language, runner] of Object.entries(runners)) {
  test(`the sample in ${language} accepts signed requests only`, async () => {
    const code = signatureSamples.find((one) => one.language === language)?.code ?? '';
    const { address, stop } = await run(runner, code);
    try {
      const now = new Date();
      await waitFor(() =>
        fetch(address, { method: 'POST' }).then(
          () => true,
          () => false,
        ),
      );
      expect(await post(address, signed(now))).toBe(204);
      const old = 'whsec_bm90IHRoZSByaWdodCBzZWNyZXQgYXQgYWxs';
      const rotated = signed(now);
      rotated['webhook-signature'] =
        `${new Webhook(old).sign(rotated['webhook-id'] ?? '', now, body)} ${rotated['webhook-signature']}`;
      expect(await post(address, rotated)).toBe(204);
      expect(await post(address, signed(now, old))).toBe(401);
      expect(await post(address, signed(now), body.replace('siap', 'batal'))).toBe(401);
      expect(await post(address, signed(new Date(now.getTime() - 301_000)))).toBe(401);
      expect(await post(address, {})).toBe(401);
    } finally {
      await stop();
    }
  });
}
