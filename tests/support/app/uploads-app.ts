import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { CHUNK_TYPE, UPLOAD_FIELD, UPLOAD_PATH, uploadHeaders } from '#contract/uploads.ts';
import { openDiskStore } from '#server/infra/file-store/open.ts';
import type { FileStore } from '#server/infra/file-store/file-store.ts';
import { openSessions } from '#server/domains/accounts/accounts.ts';
import { registerFiles, registerUploads } from '#server/http/uploads.ts';
import type { Pace } from '#server/http/connections.ts';
import { openServer } from '#server/http/server.ts';
import { openFiles, verifyFile } from '#server/domains/media/files.ts';
import { openScanner } from '#server/domains/media/inspection/inspect-malware.ts';
import { openLimiter } from '#server/infra/acts.ts';
import { openLog } from '#server/infra/observability/log.ts';
import { secretsFrom } from '#server/infra/security/secrets.ts';
import { openUploads } from '#server/domains/media/uploads/uploads.ts';
import { type TestDatabase, test as base } from '#tests/support/database/database.ts';
import { signedIn } from './running-app.ts';
import { endInjected } from '#tests/support/app/injected.ts';

type UploadsOptions = {
  openBytesMax?: number;
  storedBytesMax?: number;
  store?: FileStore;
  clamd?: string;
  pace?: Pace;
  portals?: readonly string[];
  /** False applies the real rate limits; tests call faster than people do. */
  hasty?: boolean;
};

export type Verb = 'POST' | 'PATCH' | 'HEAD' | 'GET' | 'DELETE' | 'OPTIONS';
type Sent = {
  query?: string;
  body?: Buffer | string | undefined;
  headers?: Record<string, string>;
};
type Named = { name: string; type?: string; bytes: Buffer | string };

async function uploadsApp(db: TestDatabase, options: UploadsOptions = {}) {
  const dataFolder = await mkdtemp(join(tmpdir(), 'kabari-uploads-'));
  const secrets = secretsFrom(Buffer.alloc(32, 9));
  const files = openFiles({
    sql: db.tenantSql,
    store: options.store ?? openDiskStore(dataFolder),
    dataFolder,
    secrets,
  });
  const troubles: unknown[] = [];
  const report = (trouble: unknown) => void troubles.push(trouble);
  const uploads = openUploads({
    sql: db.tenantSql,
    allAccountsSql: db.allAccountsSql,
    files,
    dataFolder,
    scanner: options.clamd === undefined ? undefined : openScanner(options.clamd, report, 1_000),
    openBytesMax: options.openBytesMax ?? 200_000_000,
    storedBytesMax: options.storedBytesMax ?? 5_000_000_000,
  });
  const app = openServer({
    config: { TRUSTED_PROXIES: [], SIMULATOR: false, production: false },
    log: openLog({ level: 'silent' }),
    delayMsMax: 0,
  });
  endInjected(app);
  // A sender may be gone before its handler ends.
  let begun = 0;
  let running = 0;
  app.addHook('onRoute', (route) => {
    const { handler } = route;
    route.handler = async function counted(request, reply) {
      begun += 1;
      running += 1;
      try {
        return await handler.call(this, request, reply);
      } finally {
        running -= 1;
      }
    };
  });
  const sessions = openSessions(db.allAccountsSql);
  const real = openLimiter(db.allAccountsSql, { authMax: 90 });
  registerFiles(app, { verify: (signed) => verifyFile(secrets, signed), open: files.open });
  registerUploads(app, {
    uploads,
    openFile: files.open,
    findSession: (token) => sessions.find(token),
    limiter: options.hasty === false ? real : { allow: async () => undefined },
    origins: { own: undefined, portals: options.portals ?? [], trustsHost: true },
    report,
    ...(options.pace && { pace: options.pace }),
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const address = app.server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  const origin = `http://127.0.0.1:${address.port}`;

  const ask = (token: string | undefined, method: Verb, sent: Sent = {}): Promise<Response> =>
    fetch(`${origin}${UPLOAD_PATH}${sent.query ?? ''}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...sent.headers,
      },
      ...(sent.body !== undefined && {
        body: typeof sent.body === 'string' ? sent.body : new Uint8Array(sent.body),
      }),
    });

  return {
    app,
    dataFolder,
    files,
    uploads,
    origin,
    port: address.port,
    troubles,
    ask,
    requests: () => ({ begun, running }),
    post: (token: string | undefined, file: Named, metadata: object = {}) => {
      const { body, type } = formWith(file, metadata);
      return ask(token, 'POST', { body, headers: { 'content-type': type } });
    },
    begin: (token: string, length: number, metadata: object = {}) => {
      const { body, type } = formWith(undefined, metadata);
      const headers = { 'content-type': type, [uploadHeaders.length]: String(length) };
      return ask(token, 'POST', { body, headers });
    },
    patch: (
      token: string,
      id: string,
      {
        offset,
        length,
        name,
        bytes,
      }: { offset: number; length: number; name: string; bytes: Buffer },
    ) =>
      ask(token, 'PATCH', {
        query: `?patch=${id}`,
        body: bytes,
        headers: {
          'content-type': CHUNK_TYPE,
          [uploadHeaders.offset]: String(offset),
          [uploadHeaders.length]: String(length),
          [uploadHeaders.name]: encodeURIComponent(name),
        },
      }),
    close: async () => {
      app.server.closeAllConnections();
      await app.close();
      // Leftovers of aborted senders may still be written to.
      await rm(dataFolder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

export type UploadsApp = Awaited<ReturnType<typeof uploadsApp>>;

const BOUNDARY = '----kabari-test';

/** A form byte by byte: a browser's own would clean some names first. */
export function formWith(
  file: Named | undefined,
  metadata: object | string,
): { body: Buffer; type: string } {
  const json = typeof metadata === 'string' ? metadata : JSON.stringify(metadata);
  const parts = [
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${UPLOAD_FIELD}"\r\n\r\n${json}\r\n`,
    ...(file
      ? [
          `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${UPLOAD_FIELD}"; ` +
            `filename="${file.name.replaceAll('"', '%22')}"\r\n` +
            `Content-Type: ${file.type ?? 'application/octet-stream'}\r\n\r\n`,
          file.bytes,
          '\r\n',
        ]
      : []),
    `--${BOUNDARY}--\r\n`,
  ];
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return { body, type: `multipart/form-data; boundary=${BOUNDARY}` };
}

export async function responseTo(response: Response) {
  const { msg, error } = (await response.json()) as {
    msg: string;
    error: { type: string; facts: Record<string, unknown> };
  };
  return { status: response.status, type: error.type, msg, facts: error.facts };
}

export const picture = (
  format: 'jpeg' | 'png' | 'webp' | 'gif',
  { width = 320, height = 200 }: { width?: number; height?: number } = {},
): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: { r: 20, g: 120, b: 200 } } })
    .toFormat(format)
    .toBuffer();

export async function movingPicture(count: number): Promise<Buffer> {
  const frames = Array.from({ length: count }, (_, at) =>
    sharp({ create: { width: 8, height: 8, channels: 3, background: { r: at % 256, g: 0, b: 9 } } })
      .png()
      .toBuffer(),
  );
  return sharp(await Promise.all(frames), { join: { animated: true } })
    .webp()
    .toBuffer();
}

/** Incompressible bytes, the same for the same seed. */
export function noise(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

export function pdfOf(length: number, seed = 1): Buffer {
  const bytes = noise(length, seed);
  bytes.write('%PDF-1.7\n', 0, 'latin1');
  bytes.write('\n%%EOF\n', length - 7, 'latin1');
  return bytes;
}

/** A test that opens such a server; `ani` and `budi` are people of two accounts. */
export const test = base.extend<{
  openUploadsApp: (options?: UploadsOptions) => Promise<UploadsApp>;
  ani: Awaited<ReturnType<typeof signedIn>>;
  budi: Awaited<ReturnType<typeof signedIn>>;
}>({
  openUploadsApp: async ({ db }, use) => {
    const opened: UploadsApp[] = [];
    await use(async (options) => {
      const app = await uploadsApp(db, options);
      opened.push(app);
      return app;
    });
    await Promise.all(opened.map(({ close }) => close()));
  },
  ani: async ({ db }, use) => use(await signedIn(db)),
  budi: async ({ db }, use) => use(await signedIn(db)),
});
