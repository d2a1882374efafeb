import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDiskStore } from '#server/infra/file-store/open.ts';
import { tokenSubscribers as subscribers } from '#server/app/container.ts';
import type { Inbound, Outgoing, Receipt, Sinks } from '#server/domains/channels/channels.ts';
import { type Network, openNetwork } from '#server/domains/channels/simulator/network.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { openFiles } from '#server/domains/media/files.ts';
import { openLibrary } from '#server/domains/media/library/library.ts';
import { openFileClient } from '#server/infra/net/outbound-file.ts';
import { newId } from '#server/infra/ids.ts';
import { secretsFrom } from '#server/infra/security/secrets.ts';
import { test as base } from '#tests/support/database/database.ts';
import { type Customer, customerWith, linkPhone } from '#tests/support/people/people.ts';

const secrets = secretsFrom(Buffer.alloc(32, 5));
export const never = new AbortController().signal;

type Options = { speed?: number; allAccountsSql?: Sql; storedBytesMax?: number };
type Route = Awaited<ReturnType<typeof networkWith>>;

export const test = base.extend<{ openNetwork: (options?: Options) => Promise<Route> }>({
  openNetwork: async ({ sql }, use) => {
    const requestRouter: Route[] = [];
    await use(async (options) => {
      const route = await networkWith(sql, options);
      requestRouter.push(route);
      return route;
    });
    await Promise.all(requestRouter.map((route) => route.close()));
  },
});

async function networkWith(
  sql: Sql,
  { speed = 0, allAccountsSql = sql, storedBytesMax = 1_000_000_000 }: Options = {},
) {
  const ani = await customerWith(sql);
  await linkPhone(sql, ani);
  const folder = await mkdtemp(join(tmpdir(), 'kabari-simulator-'));
  const files = openFiles({ sql, store: openDiskStore(folder), dataFolder: folder, secrets });
  const reported: unknown[] = [];
  const report = (error: unknown) => void reported.push(error);
  const library = openLibrary({
    sql,
    allAccountsSql: sql,
    files,
    dataFolder: folder,
    scanner: undefined,
    storedBytesMax,
    now: () => new Date(),
    retentionDays: () => 30,
    client: openFileClient({ listed: [] }),
    report,
  });
  const sendSystemText = async () => undefined;
  const connecting = { allAccountsSql, secrets, sendSystemText, report, subscribers };
  const open = (): Network =>
    openNetwork({ allAccountsSql, pace: { speed, seed: 'test' }, connecting, library, report });
  const network = open();
  const close = async () => {
    await network.close();
    await rm(folder, { recursive: true, force: true });
  };
  const receipts: Receipt[] = [];
  const inbound: Inbound[] = [];
  const sinks: Sinks = {
    receipts: async (given) => {
      receipts.push(...given);
      return [];
    },
    inbound: async (given) => void inbound.push(given),
    identified: async () => undefined,
  };
  return { ani, network, open, close, files, library, sinks, receipts, inbound, reported };
}

export const toPhone = (ani: Customer, to: string, more: Partial<Outgoing> = {}): Outgoing => ({
  accountId: ani.accountId,
  tokenId: ani.tokenId,
  messageId: newId(),
  from: ani.phone,
  to,
  type: 'text',
  body: { text: 'Halo' },
  possibleDuplicate: false,
  attempt: 1,
  ...more,
});
