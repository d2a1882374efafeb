import type { Sql } from '#server/infra/postgres/database.ts';
import type { Broken } from '#tests/chaos/faults/rules.ts';
import type { Post } from './receiver.ts';

type Event = { token: string; seq: number };

const SHOWN_MOST = 3;

/**
 * Compares published events with the posts that the webhooks' programs have seen, at rest.
 * @param allAccountsSql a pool that sees every account; there were no events before the webhooks were created.
 */
export async function judgeDeliveries(
  allAccountsSql: Sql,
  posts: readonly Post[],
): Promise<Broken[]> {
  const published = await allAccountsSql<Event[]>`
    select w.token_id as token, e.position as seq
    from webhooks w join events e on e.account_id = w.account_id
    where webhook_type(e.kind, e.status, e.data) is not null
      and coalesce(e.token_id, w.token_id) = w.token_id
      and coalesce(e.data ->> 'token_id', public_id('tok_', w.token_id)) = public_id('tok_', w.token_id)`;
  const keyOf = (token: string, seq: number) => `${token} ${seq}`;
  const expected = new Set(published.map(({ token, seq }) => keyOf(token, seq)));
  const byEvent = Map.groupBy(posts, ({ tokenId, seq }) => keyOf(tokenId, seq));
  const taken = posts.filter((post) => post.taken);
  const done = new Set(taken.map(({ tokenId, seq }) => keyOf(tokenId, seq)));
  return [
    ...some(
      'never taken',
      [...expected].filter((event) => !done.has(event)),
    ),
    ...some(
      'told, and never published',
      [...byEvent.keys()].filter((event) => !expected.has(event)),
    ),
    ...some(
      'not signed by its secret',
      posts.filter(({ genuine }) => !genuine).map(({ id }) => id),
    ),
    ...some('told under several ids', severalIds(byEvent)),
    ...some('told out of order', outOfOrder(taken)),
  ];
}

const some = (harm: string, cases: readonly string[]): Broken[] =>
  cases.length === 0
    ? []
    : [
        {
          rule: 'told to its webhook',
          what: `${cases.length} events ${harm}: ${cases.slice(0, SHOWN_MOST).join(', ')}`,
        },
      ];

const severalIds = (byEvent: ReadonlyMap<string, readonly Post[]>): string[] =>
  [...byEvent]
    .filter(([, own]) => new Set(own.map(({ id }) => id)).size > 1)
    .map(([event]) => event);

/** Within a conversation, the first acceptance of each event follows those of earlier events. */
function outOfOrder(taken: readonly Post[]): string[] {
  const conversations = Map.groupBy(taken, ({ tokenId, peer }) => `${tokenId} ${peer}`);
  return [...conversations].flatMap(([conversation, posts]) => {
    const seqs = [...new Set(posts.map(({ seq }) => seq))];
    return seqs
      .filter((seq, n) => seq < (seqs[n - 1] ?? 0))
      .map((seq) => `${conversation}: ${seq}`);
  });
}
