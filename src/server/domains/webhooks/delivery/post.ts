import { WEBHOOK_LIMITS } from '#contract/webhooks/webhook.ts';
import type { AttemptError } from '#contract/webhooks/deliveries.ts';
import { coverSecrets } from '#server/domains/webhooks/signature.ts';
import { type Outbound, type OutboundAnswer, OutboundError } from '#server/infra/net/outbound.ts';
import { retryAfterMs } from './schedule.ts';

/** What came of one request to an endpoint. */
export type PostResult = {
  /** When it was begun, and how long it took. */
  at: Date;
  ms: number;
  /** Null without an answer. */
  status: number | null;
  /** `interrupted`: this process ended; that is no try, and nothing is stored of it. */
  error: Exclude<AttemptError, 'ours'> | 'interrupted' | null;
  /** The first printable characters of the answer, without secrets. */
  answer: string;
  /** How long the endpoint asks to be left alone. */
  askedMs: number | undefined;
};

/** The `secrets` of the webhook are covered wherever its endpoint repeats them. */
type Address = { url: string; secrets: readonly string[] };
type Request = Address & { headers: Record<string, string>; body: string };

const TOTAL_MS = WEBHOOK_LIMITS.timeoutSeconds * 1_000;
const ANSWER_LENGTH = 200;
const AGENT = 'Kabari-Webhooks/1';

/** What an endpoint reads of who asks. */
export const withAgent = (headers: Record<string, string>): Record<string, string> => ({
  ...headers,
  'user-agent': AGENT,
});

/** True for an answer that means: taken. */
export const isTaken = ({ status }: Pick<PostResult, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300;

type PostDeps = { outbound: Outbound; now: () => Date };

/** Posts once through the guarded client; a redirect is an answer like any other. Never throws for what others do. */
export const post = (
  deps: PostDeps,
  { secrets, ...request }: Request,
  signal?: AbortSignal,
): Promise<PostResult> =>
  tell(deps, secrets, () =>
    deps.outbound.post({ ...request, totalMs: TOTAL_MS, ...(signal && { signal }) }),
  );

/** The same with a GET. */
export const ask = (deps: PostDeps, { url, secrets }: Address): Promise<PostResult> =>
  tell(deps, secrets, () => deps.outbound.get({ url, headers: withAgent({}), totalMs: TOTAL_MS }));

async function tell(
  { now }: Pick<PostDeps, 'now'>,
  secrets: readonly string[],
  request: () => Promise<OutboundAnswer>,
): Promise<PostResult> {
  const at = now();
  const began = performance.now();
  const took = () => Math.round(performance.now() - began);
  try {
    const { status, headers, body } = await request();
    const askedMs = retryAfterMs(headers['retry-after'], now());
    return { at, ms: took(), status, error: null, answer: printable(body, secrets), askedMs };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const reason = error.reason === 'ended' ? 'interrupted' : error.reason;
    return { at, ms: took(), status: null, error: reason, answer: '', askedMs: undefined };
  }
}

/** The beginning of an answer, without what is not to be printed. Secrets are covered before the end is cut off. */
const printable = (body: Buffer, secrets: readonly string[]): string =>
  coverSecrets(body.toString('utf8'), secrets)
    .slice(0, ANSWER_LENGTH * 8)
    .replace(/[\p{C}\p{Zl}\p{Zp}\ufffd]+/gu, ' ')
    .trim()
    .slice(0, ANSWER_LENGTH)
    .toWellFormed();
