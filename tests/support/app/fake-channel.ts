import type { MessageMedia } from '#server/domains/messages/media.ts';
import type { Channel, Outgoing, SendResult } from '#server/domains/channels/channels.ts';
import { openIntake } from '#server/domains/messages/submit/accept.ts';
import { openClaimMessages } from '#server/domains/messages/dispatch/lane.ts';
import { openSettle } from '#server/domains/messages/dispatch/settle.ts';
import { type Lanes, startLanes } from '#server/domains/messages/dispatch/lanes.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { openLog } from '#server/infra/observability/log.ts';
import { type Customer, orderOf } from '#tests/support/people/people.ts';

const log = openLog({ level: 'silent' });

export type FakeNetwork = {
  seen: Outgoing[];
  channels: Map<'simulator', Channel>;
};

export function network(
  answer: (message: Outgoing) => SendResult | Promise<SendResult>,
  { preallocates = true, timeoutMs = 5_000 }: { preallocates?: boolean; timeoutMs?: number } = {},
): FakeNetwork {
  const seen: Outgoing[] = [];
  const channel: Channel = {
    name: 'simulator',
    preallocates,
    timeoutMs,
    send: async (message) => {
      seen.push(message);
      return answer(message);
    },
    start: async () => undefined,
    close: async () => undefined,
  };
  return { seen, channels: new Map([['simulator' as const, channel]]) };
}

/** Never answers; `letGo` ends the wait, so that a lane can be closed. */
export function hangingAnswer(): { forever: Promise<SendResult>; letGo: () => void } {
  const { promise, reject } = Promise.withResolvers<SendResult>();
  promise.catch(() => undefined);
  return { forever: promise, letGo: () => reject(new Error('the test is over')) };
}

export const noMedia: MessageMedia = {
  find: async () => new Map(),
  use: async () => undefined,
  stateOf: async () => ({ state: 'failed', failure: 'media_unreachable' }),
  endedOf: async () => [],
};

export const lanesOver = (
  sql: Sql,
  channels: Map<'simulator', Channel>,
  pacePerSecond = 0,
): Lanes =>
  startLanes({
    sql,
    channels,
    log,
    pacePerSecond: () => pacePerSecond,
    settle: openSettle({ sql }),
    claimMessages: openClaimMessages({ sql }),
    media: noMedia,
  });

export const statuses = (sql: Sql) => sql<{ status: string; charge_state: string }[]>`
  select status, charge_state from messages order by message_id`;

type Batch = Parameters<typeof orderOf>[1] & {
  /** 0 otp, 1 normal, 2 bulk. */
  priority?: 0 | 1 | 2;
  expiresAt?: Date;
};

/** Accepts a batch of texts, one per price. */
export function acceptTexts(sql: Sql, customer: Customer, batch: Batch = {}) {
  const { priority = 1, expiresAt, ...rest } = batch;
  const order = orderOf(customer, rest);
  const items = order.items.map((item) => ({ ...item, priority, ...(expiresAt && { expiresAt }) }));
  return openIntake(sql, () => undefined).accept({ ...order, items });
}

export const phones = (count: number, start = 1000): string[] =>
  Array.from({ length: count }, (_, index) => `62812${String(start + index).padStart(8, '0')}`);

/** Claims due messages of a lane, as its owner does. @returns the ids */
export async function claimDue(
  sql: Sql,
  { accountId, tokenId }: Pick<Customer, 'accountId' | 'tokenId'>,
  { epoch, limit = 10 }: { epoch: number; limit?: number },
): Promise<string[]> {
  const [token] = await sql<{ phone: string }[]>`
    select phone from tokens where account_id = ${accountId} and token_id = ${tokenId}`;
  const claim = { accountId, tokenId, epoch };
  const claimMessages = openClaimMessages({ sql });
  const from = token?.phone ?? '';
  const { due } = await claimMessages({ claim, from, limit, isUrgent: false });
  return due.map(({ o_id }) => o_id);
}
