import type { FastifyInstance } from 'fastify';
import { publicId } from '#contract/base/ids.ts';
import { fitsKind } from '#contract/media/kinds.ts';
import type { Container } from '#server/app/container.ts';
import { walletOf } from '#server/domains/ledger/ledger.ts';
import { createLink, readToken, unlinkPhone } from '#server/domains/tokens/tokens.ts';
import type { ApiSender } from '#server/http/access.ts';
import type { Device, DialectDeps, FileKind } from '#server/http/dialects/dialect.ts';
import { openFonnte } from '#server/http/dialects/fonnte/fonnte.ts';
import { openWablas } from '#server/http/dialects/wablas/wablas.ts';
import type { FirstAnswers } from '#server/http/v1/remember.ts';
import { asAccount } from '#server/infra/postgres/database.ts';

type Options = Pick<DialectDeps, 'access' | 'report'> & { firstAnswer: FirstAnswers };

/** Registers the dialects of other gateways that have addresses of their own, beside `/v1`. */
export function registerDialects(
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
