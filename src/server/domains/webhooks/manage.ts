import { publicId } from '#contract/base/ids.ts';
import { type FactsOf, Refusal } from '#contract/base/refusals.ts';
import type { Language } from '#contract/language/language.ts';
import { API_LIMITS } from '#contract/rest/endpoint.ts';
import { type ApiHandlers, uuidIn } from '#server/infra/endpoints.ts';
import * as webhooks from '#contract/webhooks.ts';
import {
  type EventType,
  TEST_EVENT,
  type Webhook,
  type WebhookFormat,
  type WebhookOffReason,
  type SavedWebhook,
  type WebhookTest,
  WEBHOOK_LIMITS,
  addressRefused,
  type LATEST,
  type Delivery,
  type DeliveryDetail,
  type DeliveryState,
  type WebhookEvent,
} from '#contract/webhooks.ts';
import { type Tx, asAccount } from '#server/infra/postgres/database.ts';
import type { WebhookDeps } from '#server/domains/webhooks/deps.ts';
import {
  verifyTokenOf,
  hintOf,
  makeSecret,
  sealPrevious,
  sealSecret,
  secretsOf,
} from '#server/domains/webhooks/signature.ts';
import { PAGE_SIZE } from '#contract/base/act.ts';
import { wibMidnight } from '#contract/base/time.ts';
import { type ActHandler, type Call, handle, hitAtomically } from '#server/infra/acts.ts';
import { appendEvent } from '#server/domains/events/events.ts';
import { readToken } from '#server/domains/tokens/tokens.ts';
import { newId } from '#server/infra/ids.ts';
import { randomInt } from 'node:crypto';
import { OutboundError } from '#server/infra/net/outbound.ts';
import {
  type PostResult,
  sendGet,
  isAccepted,
  post,
  withUserAgent,
} from '#server/domains/webhooks/delivery.ts';
import { formats } from './formats.ts';
import { semaphore } from '#server/infra/semaphore.ts';

export type WebhookRow = {
  webhook_id: string;
  token_id: string;
  url: string;
  phone: string | null;
  format: WebhookFormat;
  kinds: EventType[] | null;
  verify_token: string | null;
  secret: Buffer;
  secret_hint: string;
  previous_secret: Buffer | null;
  previous_until: Date | null;
  state: 'on' | 'off';
  off_reason: WebhookOffReason | null;
  failing_since: Date | null;
  paused_until: Date | null;
  created_at: Date;
  changed_at: Date;
};

const PENDING_MAX = 10_000;

/** The webhook of a token. `lock` blocks other changes until the transaction ends. */
export async function findWebhook(
  tx: Tx,
  { accountId, tokenId }: TokenRef,
  { lock = false } = {},
): Promise<WebhookRow | undefined> {
  const [row] = await tx<WebhookRow[]>`
    select w.webhook_id, w.token_id, w.url, w.format, w.kinds, w.verify_token, w.secret, w.secret_hint, w.previous_secret,
      w.previous_until, w.state, w.off_reason, w.failing_since, w.paused_until, w.created_at, w.changed_at,
      t.phone
    from webhooks w join tokens t on t.account_id = w.account_id and t.token_id = w.token_id
    where w.account_id = ${accountId} and w.token_id = ${tokenId}
    ${lock ? tx`for update of w` : tx``}`;
  return row;
}

/** @throws Refusal `not_found` where the token has no webhook. */
export async function requireWebhook(
  tx: Tx,
  token: TokenRef,
  options: { lock?: boolean } = {},
): Promise<WebhookRow> {
  const row = await findWebhook(tx, token, options);
  if (!row) throw new Refusal('not_found', { what: 'Webhook' });
  return row;
}

export async function showWebhook(
  tx: Tx,
  deps: Pick<WebhookDeps, 'secrets' | 'now'>,
  accountId: string,
  row: WebhookRow,
): Promise<Webhook> {
  const now = deps.now();
  const [counted] = await tx<{ pending: number }[]>`
    select count(*) as pending from (
      select from webhook_deliveries
      where account_id = ${accountId} and webhook_id = ${row.webhook_id} and state = 'waiting'
      limit ${PENDING_MAX}
    ) waiting`;
  return {
    token_id: publicId('token', row.token_id),
    url: row.url,
    format: row.format,
    kinds: row.kinds,
    state: row.state,
    off_reason: row.off_reason,
    secret_hint: row.secret_hint,
    verify_token: row.verify_token ?? verifyTokenOf(deps, row.webhook_id),
    previous_secret_until: later(row.previous_until, now),
    failing_since: row.failing_since,
    paused_until: later(row.paused_until, now),
    pending: counted?.pending ?? 0,
    created_at: row.created_at,
    changed_at: row.changed_at,
  };
}

const later = (at: Date | null, now: Date): Date | null => (at && at > now ? at : null);

const tokenOf = (
  { caller: { accountId } }: Call<'customer'>,
  { token_id: tokenId }: { token_id: string },
): TokenRef => ({ accountId, tokenId });

const DAY_MS = 86_400_000;

/** The end of a day in WIB. */
const endOfDay = (day: string): Date => new Date(wibMidnight(day).getTime() + DAY_MS);

/** The portal's acts; the endpoints use the same calls. */
export const webhookActs = (calls: WebhookCalls): readonly ActHandler[] => [
  handle(webhooks.getWebhook, async (call, input) => ({
    webhook: await calls.read(tokenOf(call, input)),
  })),
  handle(webhooks.saveWebhook, (call, { token_id, ...fields }) =>
    calls.save(tokenOf(call, { token_id }), fields),
  ),
  handle(webhooks.switchWebhook, (call, input) =>
    calls.setOn(tokenOf(call, input), input.state === 'on'),
  ),
  handle(webhooks.rotateWebhookSecret, (call, input) => calls.rotateSecret(tokenOf(call, input))),
  handle(webhooks.deleteWebhook, async (call, input) => {
    await calls.remove(tokenOf(call, input));
    return {};
  }),
  handle(webhooks.testWebhook, (call, input) => calls.test(tokenOf(call, input))),
  ...deliveryActs(calls),
];

const deliveryActs = (calls: WebhookCalls): readonly ActHandler[] => [
  handle(webhooks.listDeliveries, async (call, input) => {
    const { state, type, peer, from, to, start: offset = 0 } = input;
    const { rows, next } = await calls.list(tokenOf(call, input), {
      state,
      type,
      peer,
      from: from === undefined ? undefined : wibMidnight(from),
      to: to === undefined ? undefined : endOfDay(to),
      offset,
      limit: PAGE_SIZE,
    });
    return { rows, total: offset + rows.length + (next === null ? 0 : 1) };
  }),
  handle(webhooks.getDelivery, (call, input) => calls.get(tokenOf(call, input), input.delivery_id)),
  handle(webhooks.replayDelivery, (call, input) =>
    calls.replay(tokenOf(call, input), input.delivery_id),
  ),
  handle(webhooks.replayDeliveries, (call, input) =>
    calls.replayPeriod(tokenOf(call, input), {
      from: wibMidnight(input.from),
      to: endOfDay(input.to),
      which: input.which,
    }),
  ),
];

/** The endpoints of a webhook. The portal requires the password for changes; here the scope suffices. */
export const webhookEndpoints = (
  calls: WebhookCalls,
): ApiHandlers<keyof typeof webhooks.webhookEndpoints | keyof typeof webhooks.eventEndpoints> => ({
  getWebhook: async ({ sender }) => ({ webhook: await calls.read(sender) }),
  setWebhook: ({ sender, body, reader: { language } }) =>
    calls.save(sender, body).catch((error: unknown) => {
      throw inLanguage(error, language);
    }),
  removeWebhook: ({ sender }) => calls.remove(sender),
  testWebhook: ({ sender }) => calls.test(sender),
  rotateWebhookSecret: ({ sender }) => calls.rotateSecret(sender),
  listDeliveries: async ({
    sender,
    query: { cursor: before, limit = API_LIMITS.page, ...filter },
  }) => {
    const { rows, next } = await calls.list(sender, { before, limit, ...filter });
    return { data: rows, next_cursor: next };
  },
  getDelivery: async ({ sender, id }) => calls.get(sender, deliveryIn(id)),
  replayDelivery: async ({ sender, id }) => calls.replay(sender, deliveryIn(id)),
  replayDeliveries: ({ sender, body }) => calls.replayPeriod(sender, body),
  listEvents: async ({ sender, query: { after = 0, limit = API_LIMITS.pageMax, types } }) => {
    const { events, next, hasMore } = await calls.readFeed(sender, { after, limit, types });
    return { data: events, next, has_more: hasMore };
  },
});

const deliveryIn = (id: string): string => uuidIn('delivery', id, 'Pengiriman webhook');

const englishOf = (sentence: string): string =>
  Object.values(addressRefused).find(({ id }) => id === sentence)?.en ?? sentence;

function inLanguage(error: unknown, language: Language): unknown {
  if (!(error instanceof Refusal) || error.code !== 'input_invalid' || language !== 'en') {
    return error;
  }
  const { fields } = error.facts as FactsOf<'input_invalid'>;
  const inEnglish = Object.entries(fields).map(([name, sentence]) => [name, englishOf(sentence)]);
  return new Refusal('input_invalid', { fields: Object.fromEntries(inEnglish) });
}

/** Null without a webhook. @throws Refusal `not_found` for a token of another account. */
export const readWebhook = (deps: WebhookDeps, token: TokenRef): Promise<Webhook | null> =>
  asAccount(deps.sql, token.accountId, async (tx) => {
    await readToken(tx, token.accountId, token.tokenId);
    const row = await findWebhook(tx, token);
    return row ? showWebhook(tx, deps, token.accountId, row) : null;
  });

/**
 * Sets the webhook of a token. A new address, or that of a disabled webhook, is tested first and enabled by a 2xx.
 * An enabled webhook keeps its address when the new one fails the test; any other is saved, disabled.
 *
 * @throws Refusal `input_invalid` for a forbidden address, `webhook_unconfirmed`, `not_found`.
 */
export async function saveWebhook(
  deps: WebhookDeps,
  token: TokenRef,
  { url: typed, format = 'kabari', kinds, verify_token: typedToken }: WebhookFields,
): Promise<SavedWebhook> {
  checkUrl(deps, typed);
  const url = typed.trim();
  const { before, phone } = await asAccount(deps.sql, token.accountId, async (tx) => ({
    phone: (await readToken(tx, token.accountId, token.tokenId)).phone,
    before: await findWebhook(tx, token),
  }));
  const webhookId = before?.webhook_id ?? newId();
  const secret = before ? undefined : makeSecret();
  const isOn = before?.state === 'on';
  const ownToken = typedToken === undefined ? (before?.verify_token ?? null) : typedToken;
  const isRequested =
    !isOn ||
    before.url !== url ||
    before.format !== format ||
    (format === 'cloud' && before.verify_token !== ownToken);
  const verifyToken = ownToken ?? verifyTokenOf(deps, webhookId);
  const secrets = before ? secretsOf(deps, before) : [secret ?? ''];
  const test = isRequested
    ? await sendTest(deps, { token, url, format, phone, verifyToken, secrets })
    : null;
  // The test resolves the host name, so only then a private target is known.
  if (test && !test.ok && (isOn || test.error === 'refused')) throw unconfirmed(test);
  const webhook = await asAccount(deps.sql, token.accountId, async (tx) => {
    const fields = { url, format, kinds: kinds ? [...new Set(kinds)] : null };
    if (secret !== undefined) await insertWebhook(tx, deps, { token, webhookId, secret, fields });
    const row = await requireWebhook(tx, token, { lock: true });
    await tx`
      update webhooks set url = ${fields.url}, format = ${fields.format}, kinds = ${fields.kinds},
        verify_token = ${ownToken}, changed_at = ${deps.now()}
      where account_id = ${token.accountId} and webhook_id = ${row.webhook_id}`;
    if (test) await setState(tx, deps, row, { token, offReason: test.ok ? null : 'unconfirmed' });
    return announceChange(tx, deps, token);
  });
  const isMade = secret !== undefined && webhook.secret_hint === hintOf(secret);
  return { webhook, secret: isMade ? secret : null, test };
}

type Insert = {
  token: TokenRef;
  webhookId: string;
  secret: string;
  fields: { url: string; format: string; kinds: string[] | null };
};

/** Of two concurrent inserts the first one wins, with its secret. */
const insertWebhook = (
  tx: Tx,
  { secrets, now }: WebhookDeps,
  { token, webhookId, secret, fields }: Insert,
) => tx`
  insert into webhooks (
    account_id, webhook_id, token_id, url, format, kinds, secret, secret_hint, state, off_reason,
    position, created_at, changed_at
  ) values (
    ${token.accountId}, ${webhookId}, ${token.tokenId}, ${fields.url}, ${fields.format},
    ${fields.kinds}, ${sealSecret(secrets, webhookId, secret)}, ${hintOf(secret)}, 'off', 'unconfirmed',
    0, ${now()}, ${now()}
  ) on conflict (account_id, token_id) do nothing`;

/** Enables it from the newest event on, or disables it. An enabled one keeps its position. */
async function setState(
  tx: Tx,
  { now }: WebhookDeps,
  row: WebhookRow,
  { token: { accountId }, offReason }: { token: TokenRef; offReason: WebhookOffReason | null },
): Promise<void> {
  const isOn = offReason === null;
  await tx`
    update webhooks w set
      state = ${isOn ? 'on' : 'off'}, off_reason = ${offReason}, notice_due = false,
      failures = 0, failing_since = null, paused_until = null, slow_until = null,
      position = case when w.state = 'off' and ${isOn} then coalesce((
        select last from event_positions p where p.account_id = w.account_id), 0) else w.position end,
      changed_at = ${now()}
    where account_id = ${accountId} and webhook_id = ${row.webhook_id}`;
  if (isOn) await tx`select retry_webhooks_now(${[row.webhook_id]}::uuid[], ${now()})`;
  await tx`select schedule_webhooks(${[row.webhook_id]}::uuid[], ${now()})`;
}

async function announceChange(tx: Tx, deps: WebhookDeps, token: TokenRef): Promise<Webhook> {
  const { accountId, tokenId } = token;
  await appendEvent(tx, {
    accountId,
    kind: 'webhook.changed',
    data: { token_id: publicId('token', tokenId) },
  });
  return showWebhook(tx, deps, accountId, await requireWebhook(tx, token));
}

/**
 * Disables a webhook, or enables it once its address has passed the test.
 *
 * @throws Refusal `webhook_unconfirmed`, `not_found`.
 */
export async function setWebhookOn(
  deps: WebhookDeps,
  token: TokenRef,
  on: boolean,
): Promise<Webhook> {
  const before = await asAccount(deps.sql, token.accountId, (tx) => requireWebhook(tx, token));
  if (on && before.state === 'off') {
    const test = await sendTest(deps, targetOf(deps, token, before));
    if (!test.ok) throw unconfirmed(test);
  }
  return asAccount(deps.sql, token.accountId, async (tx) => {
    const row = await requireWebhook(tx, token, { lock: true });
    // A concurrent call may have set another address, which was not tested.
    const isRequested =
      row.url === before.url &&
      row.format === before.format &&
      row.verify_token === before.verify_token;
    if (row.state === (on ? 'off' : 'on') && (isRequested || !on)) {
      await setState(tx, deps, row, { token, offReason: on ? null : 'owner' });
    }
    return announceChange(tx, deps, token);
  });
}

const targetOf = (deps: WebhookDeps, token: TokenRef, row: WebhookRow): Target => {
  const { webhook_id: webhookId, url, format, phone } = row;
  const verifyToken = row.verify_token ?? verifyTokenOf(deps, webhookId);
  return { token, url, format, phone, verifyToken, secrets: secretsOf(deps, row) };
};

/** The validity of previous secrets. */
const ROTATION_MS = 24 * 3_600_000;

/** Replaces the secret; current ones keep signing for 24 hours. @throws Refusal `not_found`. */
export function rotateSecret(
  deps: WebhookDeps,
  token: TokenRef,
): Promise<{ webhook: Webhook; secret: string }> {
  const secret = makeSecret();
  return asAccount(deps.sql, token.accountId, async (tx) => {
    const row = await requireWebhook(tx, token, { lock: true });
    const now = deps.now();
    await tx`
      update webhooks set secret = ${sealSecret(deps.secrets, row.webhook_id, secret)},
        secret_hint = ${hintOf(secret)}, previous_secret = ${sealPrevious(deps, row)},
        previous_until = ${new Date(now.getTime() + ROTATION_MS)}, changed_at = ${now}
      where account_id = ${token.accountId} and webhook_id = ${row.webhook_id}`;
    return { webhook: await announceChange(tx, deps, token), secret };
  });
}

/** The sweep deletes its deliveries. @throws Refusal `not_found`. */
export const removeWebhook = (deps: WebhookDeps, token: TokenRef): Promise<void> =>
  asAccount(deps.sql, token.accountId, async (tx) => {
    await requireWebhook(tx, token, { lock: true });
    await deleteTokenWebhook(tx, token);
    await appendEvent(tx, {
      accountId: token.accountId,
      kind: 'webhook.changed',
      data: { token_id: publicId('token', token.tokenId) },
    });
  });

/** Deletes a token's webhook in the transaction that deletes the token. */
export async function deleteTokenWebhook(tx: Tx, { accountId, tokenId }: TokenRef): Promise<void> {
  await tx`delete from webhooks where account_id = ${accountId} and token_id = ${tokenId}`;
}

/** A success ends a pause and makes waiting events due. @throws Refusal `not_found`. */
export async function testWebhook(deps: WebhookDeps, token: TokenRef): Promise<WebhookTest> {
  const row = await asAccount(deps.sql, token.accountId, (tx) => requireWebhook(tx, token));
  const test = await sendTest(deps, targetOf(deps, token, row));
  if (test.ok && row.failing_since !== null) {
    await asAccount(deps.sql, token.accountId, async (tx) => {
      const now = await requireWebhook(tx, token, { lock: true });
      if (now.state === 'on') {
        await setState(tx, deps, now, { token, offReason: null });
        await announceChange(tx, deps, token);
      }
    });
  }
  return test;
}

type Target = {
  token: TokenRef;
  url: string;
  format: WebhookFormat;
  phone: string | null;
  verifyToken: string;
  secrets: readonly string[];
};

/** Checks the text of an address. @throws Refusal `input_invalid` for a forbidden one. */
function checkUrl({ outbound }: Pick<WebhookDeps, 'outbound'>, url: string): void {
  try {
    outbound.check(url);
  } catch (error) {
    if (error instanceof OutboundError) throw refusedFor(isOwnMachine(url) ? 'local' : 'public');
    throw error;
  }
}

const refusedFor = (why: keyof typeof addressRefused) =>
  new Refusal('input_invalid', { fields: { url: addressRefused[why].id } });

const isOwnMachine = (url: string): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)$/.test(URL.parse(url)?.hostname ?? '');

/**
 * Tests the address now, by its format's handshake or a `webhook.test` event.
 *
 * @throws Refusal `busy`, `too_many_requests`
 */
const sendTest = (deps: WebhookDeps, target: Target): Promise<WebhookTest> =>
  withinTestLimits(deps, target.token, () =>
    formats[target.format].hasHandshake
      ? verifyHandshake(deps, target)
      : sendTestEvent(deps, target),
  );

/** Meta's check of a new address: it must return exactly the challenge. */
async function verifyHandshake(
  deps: WebhookDeps,
  { url, verifyToken, secrets }: Target,
): Promise<WebhookTest> {
  const challenge = String(randomInt(1_000_000_000, 10_000_000_000));
  const challengeUrl = new URL(url);
  challengeUrl.searchParams.set('hub.mode', 'subscribe');
  challengeUrl.searchParams.set('hub.challenge', challenge);
  challengeUrl.searchParams.set('hub.verify_token', verifyToken);
  const result = await sendGet(deps, { url: challengeUrl.href, secrets });
  return testOf(result, isAccepted(result) && result.answer === challenge);
}

async function sendTestEvent(deps: WebhookDeps, target: Target): Promise<WebhookTest> {
  const { token, url, format, phone, secrets } = target;
  const at = deps.now();
  const request = formats[format].build({
    id: publicId('delivery', newId()),
    at,
    secrets,
    context: { phone, metadata: {} },
    event: {
      type: TEST_EVENT,
      timestamp: at.toISOString(),
      data: {
        account: publicId('account', token.accountId),
        token: publicId('token', token.tokenId),
        message: 'Uji coba webhook dari Kabari.',
      },
    },
  });
  if (!request) throw new Error(`the format ${format} has no test`);
  const { body } = request;
  const result = await post(deps, { url, headers: withUserAgent(request.headers), body, secrets });
  return testOf(result, isAccepted(result));
}

function testOf({ status, error, ms, answer }: PostResult, ok: boolean): WebhookTest {
  return { ok, status, error: error === 'interrupted' ? 'unreachable' : error, ms, answer };
}

export function unconfirmed({ status, error }: WebhookTest): Refusal {
  if (error === 'refused') return refusedFor('public');
  return new Refusal('webhook_unconfirmed', { status, why: error ?? failureReason(status ?? 0) });
}

/** A 2xx that confirms nothing had the wrong challenge. */
function failureReason(status: number): 'challenge' | 'redirect' | 'status' {
  if (status >= 300 && status < 400) return 'redirect';
  return isAccepted({ status }) ? 'challenge' : 'status';
}

const AT_ONCE = 32;
const WAITING_MAX = 64;
const WAIT_MS_MAX = WEBHOOK_LIMITS.timeoutSeconds * 1_000;

const limitTests = semaphore(AT_ONCE, WAITING_MAX, { waitMs: WAIT_MS_MAX });

const testing = new Set<string>();

/**
 * Tests an address within limits: one at a time per token, `testsPerMinute` per account on all nodes, 32 at once in
 * this process. The address may belong to a third party, so requests to it are limited
 * (docs/threats.md, T21).
 *
 * @throws Refusal `too_many_requests` while another test of the token runs, and above the account's limit; `busy`
 * while too many tests of others run.
 */
async function withinTestLimits<T>(
  { allAccountsSql }: Pick<WebhookDeps, 'allAccountsSql'>,
  { accountId, tokenId }: TokenRef,
  work: () => Promise<T>,
): Promise<T> {
  // 429 and not 503: the caller's own test blocks this one, and the service has capacity.
  if (testing.has(tokenId))
    throw new Refusal('too_many_requests', { seconds: WEBHOOK_LIMITS.timeoutSeconds });
  testing.add(tokenId);
  try {
    const full = await hitAtomically(allAccountsSql, [
      {
        scope: 'webhook_test',
        subject: accountId,
        max: WEBHOOK_LIMITS.testsPerMinute,
        windowSeconds: 60,
      },
    ]);
    if (full) throw new Refusal('too_many_requests', { seconds: full.seconds });
    return await limitTests(work);
  } finally {
    testing.delete(tokenId);
  }
}

/** A webhook that is off, but not by its owner, or that fails persistently. */
type WebhookTrouble = {
  token_id: string;
  why: Exclude<WebhookOffReason, 'owner'> | 'erring';
};

/** Longer than a server restart takes. */
const FAILING_MINUTES = 15;

/** The webhooks that need attention, by token; one that its owner disabled does not. */
export function webhookTroubles(
  tx: Tx,
  accountId: string,
  now: Date,
): Promise<readonly WebhookTrouble[]> {
  return tx<WebhookTrouble[]>`
    select token_id, coalesce(off_reason, 'erring') as why from webhooks
    where account_id = ${accountId} and off_reason is distinct from 'owner'
      and (state = 'off'
        or failing_since <= ${now}::timestamptz - make_interval(mins => ${FAILING_MINUTES})
        or paused_until > ${now})`;
}

/** A token, from an API key or an act's field. */
export type TokenRef = { accountId: string; tokenId: string };

/**
 * The stored form of a webhook. Defaults: format `kabari`, and all events when kinds are missing or null. Without
 * `verify_token` it keeps its own; null restores the one that Kabari makes.
 */
type WebhookFields = {
  url: string;
  format?: WebhookFormat | undefined;
  kinds?: readonly EventType[] | null | undefined;
  verify_token?: string | null | undefined;
};

/** A filter on a webhook's deliveries; the times are those of the events, `to` is excluded. */
export type DeliveryFilter = {
  state?: DeliveryState | undefined;
  type?: EventType | undefined;
  peer?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
};

/** Each operation refuses `not_found` for records of another token. */
export type WebhookCalls = {
  read: (token: TokenRef) => Promise<Webhook | null>;
  /** @throws Refusal `input_invalid`, `webhook_unconfirmed`, `busy`, `too_many_requests`. */
  save: (token: TokenRef, fields: WebhookFields) => Promise<SavedWebhook>;
  /** @throws Refusal `webhook_unconfirmed`, `busy`, `too_many_requests`. */
  setOn: (token: TokenRef, on: boolean) => Promise<Webhook>;
  rotateSecret: (token: TokenRef) => Promise<{ webhook: Webhook; secret: string }>;
  remove: (token: TokenRef) => Promise<void>;
  /** @throws Refusal `busy`, `too_many_requests`. */
  test: (token: TokenRef) => Promise<WebhookTest>;
  /** Newest first, below the position `before`; `next` is null on the last page. */
  list: (
    token: TokenRef,
    query: DeliveryFilter & {
      before?: number | undefined;
      offset?: number | undefined;
      limit: number;
    },
  ) => Promise<{ rows: Delivery[]; next: number | null }>;
  get: (token: TokenRef, deliveryId: string) => Promise<DeliveryDetail>;
  /** @throws Refusal `webhook_off`. */
  replay: (token: TokenRef, deliveryId: string) => Promise<Delivery>;
  /** Restarts at most `REPLAY_MAX`, oldest first. @throws Refusal `webhook_off`. */
  replayPeriod: (
    token: TokenRef,
    period: { from: Date; to: Date; which: 'parked' | 'all' },
  ) => Promise<{ replayed: number; more: boolean }>;
  /** Events of the token and its account, in order; `next` is the position to continue from. */
  readFeed: (
    token: TokenRef,
    query: {
      after: number | typeof LATEST;
      limit: number;
      types?: readonly EventType[] | undefined;
    },
  ) => Promise<{ events: WebhookEvent[]; next: number; hasMore: boolean }>;
};
