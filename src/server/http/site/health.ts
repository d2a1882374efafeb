import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sameBytes, sha256 } from '#server/infra/security/secrets.ts';
import { withTimeout } from '#server/infra/with-timeout.ts';

/** One dependency the application cannot work without: resolves when it is healthy, throws when it is not. */
export type Check = () => Promise<void>;

type Deps = {
  checks: Readonly<Record<string, Check>>;
  /** What is shown beside, and takes no work away: without it the application still serves most. */
  shown?: Readonly<Record<string, Check>>;
  /** What `/readyz` says beside them: it works without. */
  facts?: () => Readonly<Record<string, unknown>>;
  /** False from the moment the application begins to close. */
  open: () => boolean;
  metricsText: () => Promise<string>;
  /** Lets others than this machine read the figures. */
  metricsToken: string | undefined;
};

/** A check that takes longer than this has failed. */
const CHECK_MS_MAX = 2_000;
/** Answers are shared for this long, so that nobody can wear the database out by asking. */
const REMEMBER_MS = 500;

type Verdict = { ready: boolean; checks: Record<string, 'ok' | 'failing'> };

const closing: Verdict = { ready: false, checks: {} };

/** Liveness, readiness and metrics. */
export function openHealth(app: FastifyInstance, deps: Deps): void {
  const config = { isServedLate: true, traced: false };
  let known: { verdict: Promise<Verdict>; until: number } | undefined;
  const verdict = (): Promise<Verdict> => {
    if (!known || performance.now() > known.until) {
      known = { verdict: judge(deps), until: performance.now() + REMEMBER_MS };
    }
    return known.verdict;
  };

  app.get('/healthz', { config }, (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  );
  app.get('/readyz', { config }, async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    // At once, whatever the checks would say and however long that takes: the balancer has a few seconds.
    const { ready, checks } = deps.open() ? await verdict() : closing;
    const well = ready && deps.open();
    reply.code(well ? 200 : 503);
    if (!well) reply.header('retry-after', '5');
    return {
      status: well ? 'ready' : deps.open() ? 'failing' : 'closing',
      checks,
      ...deps.facts?.(),
    };
  });
  app.get('/metrics', { config }, async (request, reply) => {
    if (!mayRead(request, deps.metricsToken)) return reply.callNotFound();
    return reply
      .header('cache-control', 'no-store')
      .type('text/plain; version=0.0.4; charset=utf-8')
      .send(await deps.metricsText());
  });
}

async function judge({ checks, shown = {} }: Pick<Deps, 'checks' | 'shown'>): Promise<Verdict> {
  const judged = await Promise.all(
    Object.entries({ ...checks, ...shown }).map(async ([name, check]) => {
      const passes = check().then(
        () => true,
        () => false,
      );
      const ok = await withTimeout(passes, CHECK_MS_MAX, () => false);
      return [name, ok ? 'ok' : 'failing'] as const;
    }),
  );
  const ready = judged.every(([name, how]) => how === 'ok' || name in shown);
  return { ready, checks: Object.fromEntries(judged) };
}

const loopback = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|::ffff:127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/;

/** This machine itself, not somebody behind a proxy on it; or who knows the token. */
function mayRead(request: FastifyRequest, token: string | undefined): boolean {
  if (token !== undefined) {
    const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    return given !== undefined && sameBytes(sha256(given), sha256(token));
  }
  const { headers } = request;
  const proxied = 'x-forwarded-for' in headers || 'forwarded' in headers || 'via' in headers;
  return !proxied && loopback.test(request.socket.remoteAddress ?? '');
}
