import type { FastifyInstance } from 'fastify';
import { Refusal } from '#contract/base/refusals.ts';
import type { Container } from '#server/app/container.ts';
import { walletOf } from '#server/domains/ledger/ledger.ts';
import { createLink, readToken } from '#server/domains/tokens/tokens.ts';
import type { ApiSender } from '#server/http/access.ts';
import type { Device, DialectDeps } from '#server/http/dialects/dialect.ts';
import { openFonnte } from '#server/http/dialects/fonnte/fonnte.ts';
import { openWablas } from '#server/http/dialects/wablas/wablas.ts';
import { asAccount } from '#server/infra/postgres/database.ts';

/** Registers the dialects of other gateways that have addresses of their own, beside `/v1`. */
export function registerDialects(
  app: FastifyInstance,
  container: Container,
  { access, report }: Pick<DialectDeps, 'access' | 'report'>,
): void {
  const { infra, messages, pools, subscribers } = container;
  const { config, now, secrets } = infra;
  const deps: DialectDeps = {
    access,
    messages: messages.api,
    device: (sender) => deviceOf(container, sender),
    link: async ({ accountId, tokenId }) => {
      const sql = pools.tenantSql;
      const { path } = await createLink({ sql, secrets, subscribers }, accountId, tokenId);
      return `${config.PUBLIC_URL ?? `http://localhost:${config.PORT}`}${path}`;
    },
    storeFile: async () => {
      throw new Refusal('media_type_unsupported', {});
    },
    now,
    publicUrl: config.PUBLIC_URL,
    report,
  };
  void app.register(async (scope) => openFonnte(scope, deps));
  void app.register(async (scope) => openWablas(scope, deps));
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
