import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { API_PREFIX } from '#contract/rest/limits.ts';
import { mutationsBefore, walletOf } from '#server/domains/ledger/ledger.ts';
import { networkQr } from '#server/domains/channels/web/web.ts';
import {
  openApiTokens,
  keptFacts,
  keptPath,
  shownAddress,
  readToken,
  unlinkPhone,
  createLink,
} from '#server/domains/tokens/tokens.ts';
import { createAccess, type ApiSender } from '#server/http/access.ts';
import { MCP_PATH, openMcp } from '#server/http/mcp/mcp.ts';
import { openApi } from '#server/http/v1/api.ts';
import type { AccountCalls } from '#server/http/v1/endpoints/account.ts';
import { openAnswers } from '#server/infra/acts/answers.ts';
import { inAccount } from '#server/infra/postgres/distribution/scope.ts';
import { countedWarnings } from '#server/infra/observability/log.ts';
import { isTransient, asAccount } from '#server/infra/postgres/database.ts';
import type { Container } from '#server/app/container.ts';
import { RELEASE } from '#server/app/release.ts';
import type { MediaCalls } from '#server/http/v1/endpoints/media.ts';
import { unconfirmed } from '#server/domains/webhooks/webhooks.ts';
import { type CloudDeps, openCloud } from '#server/http/dialects/cloud/cloud.ts';
import { signed, verifySigned } from '#server/infra/security/signed-link.ts';
import { publicId } from '#contract/base/ids.ts';
import { fitsKind } from '#contract/media/kinds.ts';
import type { Device, DialectDeps, FileKind } from '#server/http/dialects/dialect.ts';
import { openFonnte } from '#server/http/dialects/fonnte/fonnte.ts';
import { openWablas } from '#server/http/dialects/wablas/wablas.ts';
import type { FirstAnswers } from '#server/http/v1/remember.ts';

/** Registers the public API, in all its dialects: who may call is decided for all of them in one place. */
export function registerApi(app: FastifyInstance, container: Container): void {
  const { infra, messages, pools, tokens } = container;
  const { config, log, secrets } = infra;
  app.addHook('preHandler', ({ apiSender }, _reply, done) =>
    apiSender ? inAccount(apiSender.accountId, done) : done(),
  );
  const report = (bug: unknown, requestId: string) => {
    const level = isTransient(bug) ? 'warn' : 'error';
    const line = { request: requestId, err: bug };
    if (level === 'warn') countedWarnings(log)(line, 'an API call failed');
    else log.error(line, 'an API call failed');
  };
  const access = createAccess({
    keys: tokens.keyRing,
    ratePerSecond: config.RATE_API_PER_SECOND,
    reject: ({ sender, no, route, url, address, ...call }) =>
      tokens.rejections.record({
        ...call,
        accountId: sender.accountId,
        tokenId: sender.tokenId,
        path: route ?? keptPath(url),
        code: no.code,
        address: shownAddress(address),
        facts: keptFacts(no),
      }),
  });
  const answers = openAnswers(pools.allAccountsSql, secrets, infra.report);
  const deps = {
    access,
    messages: messages.api,
    media: mediaCallsOf(container),
    account: accountCallsOf(container),
    optouts: messages.optouts,
    knownNumbers: messages.api.known,
    templates: messages.templates,
    webhooks: container.webhooks.calls,
    firstAnswer: async (call: Parameters<typeof keyed>[0], work: () => Promise<string>) => {
      const { body } = await answers.once(keyed(call), async () => ({
        status: 200,
        body: await work(),
        keep: true,
      }));
      return body;
    },
    publicUrl: config.PUBLIC_URL,
    report,
  };
  void app.register(async (scope) => openApi(scope, deps), { prefix: API_PREFIX });
  void app.register(async (scope) => openMcp(scope, { ...deps, version: RELEASE }), {
    prefix: MCP_PATH,
  });
  registerDialects(app, container, deps);
  registerCloud(app, container, { access, report });
}

function accountCallsOf({ infra, messages, pools, subscribers }: Container): AccountCalls {
  const { tenantSql: sql } = pools;
  const { secrets } = infra;
  return {
    ...openApiTokens({ sql, secrets, subscribers, networkQr: networkQr(secrets) }),
    balance: messages.api.balance,
    mutations: ({ accountId }, query) => mutationsBefore(sql, accountId, query),
  };
}

/** A call under its caller's own key, as the memory of answers names it: there, keys are UUIDs. */
function keyed(call: { tokenId: string; key: string; endpoint: string; input: string }) {
  const hex = createHash('sha256').update(call.key).digest('hex');
  const key = hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return { person: `token ${call.tokenId}`, key, act: call.endpoint, input: call.input };
}

/** The library of media, as the API calls it. */
const mediaCallsOf = ({ media: { files, library } }: Pick<Container, 'media'>): MediaCalls => ({
  takeOnce: ({ accountId }, file, once) =>
    library.takeOnce({ ...file, accountId, source: 'api' }, once),
  find: async ({ accountId }, fileId) => (await library.find(accountId, [fileId])).get(fileId),
  remove: ({ accountId }, fileId) => library.remove(accountId, fileId),
  offer: ({ accountId }, fileId) => files.offer(accountId, fileId),
});

/** So long the address of a file is good. */
const MEDIA_LINK_MS = 5 * 60_000;

/** Registers the dialect of the WhatsApp Cloud API. */
function registerCloud(
  app: FastifyInstance,
  { infra, media: { files, library }, messages, pools, subscribers, webhooks }: Container,
  { access, report }: Pick<CloudDeps, 'access' | 'report'>,
): void {
  const { config, now, secrets } = infra;
  const deps: CloudDeps = {
    access,
    messages: messages.api,
    templates: messages.templates,
    webhook: {
      read: webhooks.calls.read,
      setOn: webhooks.calls.setOn,
      subscribe: async (sender, fields) => {
        const { test } = await webhooks.calls.save(sender, { ...fields, format: 'cloud' });
        if (test && !test.ok) throw unconfirmed(test);
      },
    },
    numberOf: ({ accountId, tokenId }) =>
      asAccount(pools.tenantSql, accountId, (tx) => readToken(tx, accountId, tokenId)),
    unlink: ({ accountId, tokenId }) =>
      unlinkPhone({ sql: pools.tenantSql, subscribers }, accountId, tokenId),
    media: {
      take: ({ accountId }, file) => library.take({ ...file, accountId, source: 'api' }),
      find: async ({ accountId }, fileId) => (await library.find(accountId, [fileId])).get(fileId),
      remove: ({ accountId }, fileId) => library.remove(accountId, fileId),
      sign: ({ accountId }, id) =>
        signed(secrets, 'media', { accountId, id }, now().getTime() + MEDIA_LINK_MS),
      open: async ({ accountId }, address) => {
        const known = verifySigned(secrets, 'media', address, now().getTime());
        return known?.accountId === accountId ? files.open(accountId, known.id) : undefined;
      },
    },
    now,
    publicUrl: config.PUBLIC_URL,
    report,
  };
  void app.register(async (scope) => openCloud(scope, deps));
}

type Options = Pick<DialectDeps, 'access' | 'report'> & { firstAnswer: FirstAnswers };

/** Registers the dialects of other gateways that have addresses of their own, beside `/v1`. */
function registerDialects(
  app: FastifyInstance,
  container: Container,
  { access, firstAnswer, report }: Options,
): void {
  const { infra, messages, pools, subscribers } = container;
  const { config, now, secrets } = infra;
  const deps: DialectDeps = {
    access,
    messages: messages.api,
    knownNumbers: messages.api.known,
    device: (sender) => deviceOf(container, sender),
    link: async ({ accountId, tokenId }) => {
      const sql = pools.tenantSql;
      const { path } = await createLink({ sql, secrets, subscribers }, accountId, tokenId);
      return `${config.PUBLIC_URL ?? `http://localhost:${config.PORT}`}${path}`;
    },
    unlink: ({ accountId, tokenId }) =>
      unlinkPhone({ sql: pools.tenantSql, subscribers }, accountId, tokenId),
    storeFile: storeFileIn(container, { access, firstAnswer }),
    now,
    publicUrl: config.PUBLIC_URL,
    report,
  };
  void app.register(async (scope) => openFonnte(scope, deps));
  void app.register(async (scope) => openWablas(scope, deps));
}

/** A file in a body is one of the account's own, as `POST /v1/media` takes it, and by the same scope. */
function storeFileIn(
  { media }: Container,
  { access, firstAnswer }: Pick<Options, 'access' | 'firstAnswer'>,
): DialectDeps['storeFile'] {
  return (sender, { filename, type, bytes }, { key, kind }) => {
    const { accountId, tokenId } = sender;
    access.allow(sender, 'media');
    const said = { name: filename, type };
    return media.library.takeOnce(
      { accountId, said, bytes, source: 'api', kind },
      async (sha256, take) => {
        const store = async () => {
          const { fileId, mime } = await take();
          return JSON.stringify({ id: publicId('media', fileId), type: kind ?? kindOf(mime) });
        };
        const input = JSON.stringify([sha256.toString('hex'), said, kind ?? null]);
        const asked = { tokenId, endpoint: 'file of a message', input };
        const stored = key === undefined ? store() : firstAnswer({ ...asked, key }, store);
        return JSON.parse(await stored) as { id: string; type: FileKind };
      },
    );
  };
}

/** As what a file is sent that says of itself what it is. */
function kindOf(mime: string): FileKind {
  const kinds = ['image', 'video', 'audio'] as const;
  return kinds.find((kind) => fitsKind(kind, mime)) ?? 'document';
}

async function deviceOf(
  { pools, pricing }: Container,
  { accountId, tokenId }: ApiSender,
): Promise<Device> {
  const [token, wallet] = await asAccount(pools.tenantSql, accountId, async (tx) => [
    await readToken(tx, accountId, tokenId),
    await walletOf(tx, accountId),
  ]);
  const included = Math.max(0, wallet.planQuota - wallet.planUsed);
  const price = wallet.planPrice || pricing.message();
  const paid = price > 0 ? Math.floor(wallet.available / price) : Infinity;
  const today = Math.max(0, token.daily_limit - token.sent_today);
  return {
    id: token.id,
    name: token.name,
    phone: token.phone,
    connected: token.status === 'linked',
    sentToday: token.sent_today,
    quota: Math.min(today, included + paid),
  };
}
