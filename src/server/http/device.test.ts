import type { FastifyInstance, InjectOptions } from 'fastify';
import * as z from 'zod/mini';
import { expect, test as base } from 'vitest';
import { act } from '#contract/base/act.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import { openLog } from '#server/infra/observability/log.ts';
import { createActEndpoint, openPortal } from '#server/http/portal.ts';
import type { Origins } from '#server/http/origin.ts';
import { openServer } from '#server/http/server.ts';

const OWN = 'https://kabari.example';
const ELSEWHERE = 'https://portal.example';
const which = act({ name: 'which', by: 'public', output: () => z.object({ device: z.string() }) });
const whichHandler: ActHandler = handle(which, async ({ device }) => ({ device }));

type Wish = { production?: boolean; portals?: readonly string[] };
type Open = (wish?: Wish) => Asking;
type Asking = (headers?: Record<string, string>) => Promise<{ device: string; cookies: string[] }>;

const test = base.extend<{ open: Open }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  open: async ({}, use) => {
    const opened: FastifyInstance[] = [];
    await use(({ production = false, portals = [ELSEWHERE] } = {}) => {
      const origins: Origins = { own: OWN, portals, trustsHost: !production };
      const config = { TRUSTED_PROXIES: [], SIMULATOR: false, production };
      const app = openServer({ config, log: openLog({ level: 'silent' }), delayMsMax: 0 });
      const nothing = () => undefined;
      const endpoint = createActEndpoint([whichHandler], {
        findSession: async () => undefined,
        isElsewhere: () => false,
        reauthOf: async () => ({ inOwnBrowser: false, secondsAgo: Infinity }),
        hasHadToken: async () => true,
        needsSecondFactor: () => false,
        limiter: { allow: async () => undefined },
        answers: { once: (_call, work) => work() },
        audit: { write: async () => undefined },
        knownNumbers: async () => new Set(),
        origins,
        report: nothing,
      });
      const streams = { open: nothing, close: nothing };
      openPortal(app, { endpoint, streams, origins, production, report: nothing });
      opened.push(app);
      return (headers = {}) => ask(app, headers);
    });
    await Promise.all(opened.map((app) => app.close()));
  },
});

async function ask(app: FastifyInstance, headers: Record<string, string>) {
  const call: InjectOptions = {
    method: 'POST',
    url: '/api',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: 'act=which',
  };
  const response = await app.inject(call);
  const { data } = response.json<{ data: { device: string } }>();
  return { device: data.device, cookies: [response.headers['set-cookie'] ?? []].flat() };
}

test('a browser gets an id once, and keeps it', async ({ open }) => {
  const ask = open();
  const first = await ask({ origin: OWN });
  expect(first.device).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(first.cookies).toEqual([
    `kabari-device=${first.device}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict`,
  ]);
  const cookie = `theme=dark; kabari-device=${first.device}; x=1`;
  expect(await ask({ origin: OWN, cookie })).toEqual({ device: first.device, cookies: [] });
  const other = await ask({ origin: OWN });
  expect(other.device).not.toBe(first.device);
});

test('in production the cookie is bound to its exact host, and to https', async ({ open }) => {
  const ask = open({ production: true });
  const { device, cookies } = await ask({ origin: OWN });
  expect(cookies).toEqual([
    `__Host-kabari-device=${device}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict; Secure`,
  ]);
  // A neighbouring host may set a cookie without the prefix.
  const planted = await ask({ origin: OWN, cookie: `kabari-device=${device}` });
  expect(planted.device).not.toBe(device);
  const own = await ask({ origin: OWN, cookie: `__Host-kabari-device=${device}` });
  expect(own).toEqual({ device, cookies: [] });
});

test('a foreign id is replaced', async ({ open }) => {
  const ask = open();
  for (const value of ['', 'x', 'a'.repeat(42), 'a'.repeat(44), `${'a'.repeat(42)}%`, '"quoted"']) {
    const { device, cookies } = await ask({ origin: OWN, cookie: `kabari-device=${value}` });
    expect(device).not.toBe(value);
    expect(cookies).toHaveLength(1);
  }
});

test('portals on other sites have no id and get no cookie', async ({ open }) => {
  const ask = open();
  expect(await ask({ origin: ELSEWHERE })).toEqual({ device: '', cookies: [] });
  const cookie = `kabari-device=${'a'.repeat(43)}`;
  expect(await ask({ origin: ELSEWHERE, cookie })).toEqual({ device: '', cookies: [] });
});

test('the portal’s own origin keeps its cookie, also when listed among PORTAL_ORIGINS', async ({
  open,
}) => {
  const ask = open({ portals: [OWN, ELSEWHERE] });
  expect((await ask({ origin: OWN })).cookies).toHaveLength(1);
});
