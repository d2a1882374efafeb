import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { API_PREFIX } from '#contract/rest/limits.ts';
import { mutationsBefore } from '#server/domains/ledger/ledger.ts';
import { networkQr } from '#server/domains/channels/web/web.ts';
import { openApiTokens } from '#server/domains/tokens/tokens.ts';
import { createAccess } from '#server/http/access.ts';
import { MCP_PATH, openMcp } from '#server/http/mcp/mcp.ts';
import { openApi } from '#server/http/v1/api.ts';
import { keptFacts, keptPath, shownAddress } from '#server/domains/tokens/tokens.ts';
import type { AccountCalls } from '#server/http/v1/endpoints/account.ts';
import { openAnswers } from '#server/infra/acts/answers.ts';
import { inAccount } from '#server/infra/postgres/distribution/scope.ts';
import { isTransient } from '#server/infra/postgres/database.ts';
import type { Container } from '#server/app/container.ts';
import { RELEASE } from '#server/app/release.ts';
import { registerCloud } from './cloud.ts';
import { registerDialects } from './dialects.ts';
import { mediaCallsOf } from './media.ts';

/** Registers the public API, in all its dialects: who may call is decided for all of them in one place. */
export function registerApi(app: FastifyInstance, container: Container): void {
  const { infra, messages, pools, tokens } = container;
  const { config, log, secrets } = infra;
  app.addHook('preHandler', ({ apiSender }, _reply, done) =>
    apiSender ? inAccount(apiSender.accountId, done) : done(),
  );
  const report = (bug: unknown, requestId: string) => {
    const level = isTransient(bug) ? 'warn' : 'error';
    log[level]({ request: requestId, err: bug }, 'an API call failed');
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
