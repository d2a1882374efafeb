import type { FastifyInstance } from 'fastify';
import type { Container } from '#server/app/container.ts';
import { readToken, unlinkPhone } from '#server/domains/tokens/tokens.ts';
import { unconfirmed } from '#server/domains/webhooks/webhooks.ts';
import { type CloudDeps, openCloud } from '#server/http/dialects/cloud/cloud.ts';
import { asAccount } from '#server/infra/postgres/database.ts';
import { signed, verifySigned } from '#server/infra/security/signed-link.ts';

/** So long the address of a file is good. */
const MEDIA_LINK_MS = 5 * 60_000;

/** Registers the dialect of the WhatsApp Cloud API. */
export function registerCloud(
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
