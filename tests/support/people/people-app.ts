import type { FastifyInstance } from 'fastify';
import { toPairs } from '#contract/base/form.ts';
import {
  accountsActs,
  needsSecondFactor,
  openAltcha,
  openSessions,
} from '#server/domains/accounts/accounts.ts';
import { createActEndpoint, openPortal } from '#server/http/portal.ts';
import { openStreams } from '#server/http/live.ts';
import { openServer } from '#server/http/server.ts';
import { openIdempotencyStore, openAudit, openLimiter } from '#server/infra/acts.ts';
import { readConfig } from '#server/infra/config.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { openLog } from '#server/infra/observability/log.ts';
import { readSecrets } from '#server/infra/security/secrets.ts';
import { accountsApp } from './accounts-app.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { endInjected } from '#tests/support/app/injected.ts';

/** Captchas that cost a test nothing; everything else about them is real. */
const LIGHT = { rounds: 1, from: 1, to: 2 };
const HOST = 'kabari.example';

type PeopleOptions = {
  /** Calls of `auth` and `otp` that one address may make in ten minutes. */
  authMax?: number;
  env?: Record<string, string>;
  callers?: Sql;
  report?: (trouble: unknown) => void;
};

export type From = { token?: string; device?: string; ip?: string };

/** The acts of people behind the portal's own endpoint and server, without a port. */
export async function peopleApp(
  db: Pick<TestDatabase, 'allAccountsSql' | 'tenantSql'>,
  { authMax = 100_000, env = {}, callers = db.allAccountsSql, ...options }: PeopleOptions = {},
) {
  const captcha = openAltcha(db.allAccountsSql, await readSecrets(db.allAccountsSql), LIGHT);
  const people = await accountsApp(db, {
    config: readConfig(env),
    captcha,
    sessions: openSessions(callers),
  });
  const { deps } = people;
  const lines: string[] = [];
  const log = openLog({ level: 'trace' }, { write: (line) => void lines.push(line) });
  const note = (trouble: unknown) => log.error({ err: trouble }, 'trouble');
  const { report = note } = options;
  const origins = { own: undefined, portals: [], trustsHost: true };
  const config = { TRUSTED_PROXIES: ['127.0.0.1'], SIMULATOR: false, production: false };
  const app = openServer({ config, log, delayMsMax: 0 });
  const endpoint = createActEndpoint(accountsActs(deps), {
    findSession: (token) => deps.sessions.find(token),
    isElsewhere: (person, device) => deps.sessions.isElsewhere(person, device),
    reauthOf: (sessionId, device) => deps.sessions.reauthOf(sessionId, device),
    hasHadToken: async () => true,
    needsSecondFactor: (person) => needsSecondFactor(deps.config, person),
    limiter: openLimiter(db.allAccountsSql, { authMax }),
    answers: openIdempotencyStore(db.allAccountsSql, deps.secrets, report),
    audit: openAudit(db.allAccountsSql),
    knownNumbers: async () => new Set(),
    origins,
    report,
  });
  const streams = openStreams({ alive: async () => new Set(), report });
  openPortal(app, { endpoint, streams, origins, production: false, report });
  endInjected(app);
  await app.ready();
  const close = async () => {
    streams.close();
    await app.close();
  };
  return { ...people, app, lines, ask: asker(app), close };
}

const asker =
  (app: FastifyInstance) =>
  async (act: string, fields: Record<string, unknown>, from: From = {}) => {
    const { token = '', device, ip = '203.0.113.7' } = from;
    const response = await app.inject({
      method: 'POST',
      url: '/api',
      headers: {
        host: HOST,
        origin: `http://${HOST}`,
        'content-type': 'application/x-www-form-urlencoded',
        'x-forwarded-for': ip,
        ...(device !== undefined && { cookie: `kabari-device=${device}` }),
      },
      payload: new URLSearchParams(toPairs({ act, token, fcm: '', ...fields })).toString(),
    });
    return { status: response.statusCode, text: response.body, headers: response.headers };
  };

export type PeopleApp = Awaited<ReturnType<typeof peopleApp>>;
export type PeopleResponse = Awaited<ReturnType<PeopleApp['ask']>>;

/** An answer's data; undefined for a refusal. */
export const dataOf = ({ text }: PeopleResponse): Record<string, never> | undefined =>
  JSON.parse(text).data;
/** A browser's cookie: the same for the same name, of 43 letters at most. */
export const browserOf = (name: string): string => name.replaceAll(' ', '-').padEnd(43, '-');
