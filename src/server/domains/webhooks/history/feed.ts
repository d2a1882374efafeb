import type { EventType, WebhookEvent } from '#contract/webhooks/events.ts';
import { publicId } from '#contract/base/ids.ts';
import { LATEST } from '#contract/rest/webhooks.ts';
import { readToken } from '#server/domains/tokens/tokens.ts';
import type { TokenRef } from '#server/domains/webhooks/api.ts';
import type { WebhookDeps } from '#server/domains/webhooks/deps.ts';
import { type StoredEvent, eventColumns, readEvents } from '#server/domains/webhooks/events.ts';
import { type Tx, asAccount } from '#server/infra/postgres/database.ts';

/** Stored events that are looked through by one call: most of an account may be of other tokens. */
const LOOKED_MAX = 2_000;

type Query = {
  after: number | typeof LATEST;
  limit: number;
  types?: readonly EventType[] | undefined;
};
export type FeedPage = { events: WebhookEvent[]; next: number; hasMore: boolean };

/**
 * Events of a token, and those of its whole account, after a position: as long as they are stored, 30 days.
 * `next` is where to go on, also on a page that found nothing in what it looked through; `hasMore` says that
 * there was more when it was read. After `latest` there is nothing yet: `next` is behind the newest.
 *
 * @throws Refusal `not_found` for a token that is not the account's; Error where the first event is broken: it is not
 *   passed over, for nobody would learn that it is missing.
 */
export const readFeed = (
  deps: WebhookDeps,
  { accountId, tokenId }: TokenRef,
  { after, limit, types }: Query,
): Promise<FeedPage> =>
  asAccount(deps.sql, accountId, async (tx) => {
    await readToken(tx, accountId, tokenId);
    if (after === LATEST) {
      const next = await newestPosition(tx, accountId);
      return { events: [], next, hasMore: false };
    }
    const looked = await tx<(StoredEvent & { is_own: boolean })[]>`
      select ${eventColumns(tx)},
        coalesce(e.token_id, ${tokenId}) = ${tokenId}
          and coalesce(e.data ->> 'token_id', ${publicId('token', tokenId)}) = ${publicId('token', tokenId)}
          as is_own
      from (
        select * from events where account_id = ${accountId} and position > ${after}
        order by position limit ${LOOKED_MAX}
      ) e
      order by e.position`;
    const isWanted = ({ type, is_own }: (typeof looked)[number]) =>
      type !== null && is_own && (types === undefined || types.includes(type));
    const wanted = looked.filter(isWanted);
    const shown = wanted.slice(0, limit);
    const read = await readEvents(deps, tx, shown);
    const brokenAt = read.indexOf('broken');
    if (brokenAt === 0) throw new Error(`the event ${shown[0]?.type} cannot be told`);
    const told = brokenAt === -1 ? shown : shown.slice(0, brokenAt);
    const isCut = told.length < wanted.length;
    const last = isCut ? told.at(-1) : looked.at(-1);
    return {
      events: read
        .slice(0, told.length)
        .flatMap((one) => (one && one !== 'broken' ? one.event : [])),
      next: last?.position ?? after,
      hasMore: isCut || looked.length === LOOKED_MAX,
    };
  });

async function newestPosition(tx: Tx, accountId: string): Promise<number> {
  const [row] = await tx<{ newest: number | null }[]>`
    select max(position) as newest from events where account_id = ${accountId}`;
  return row?.newest ?? 0;
}
