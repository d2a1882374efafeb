import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Answer, AnswerContext, ItemResult, Order, Outcome, Placed } from './accept.ts';
import { type Sql, isShort, isTransient, retrying } from '#server/infra/postgres/database.ts';

/** The first answer as it is kept under its key; `o_ids` are the ids that its request came with. */
type Kept = {
  o_saldo: number | null;
  o_ids: string[] | null;
  o_outcomes: ItemResult[] | null;
  o_context: AnswerContext | null;
};

type Row = Kept & {
  o_request: number;
  o_item: number;
  o_id: string | null;
  o_outcome: Outcome | 'replayed' | 'conflict';
  o_fact: number | null;
};

/** The orders of several wallets: together where they fit whole, each wallet by itself where not. */
export async function placeGroups(
  sql: Sql,
  groups: readonly (readonly Order[])[],
): Promise<(readonly Answer[] | Promise<readonly Answer[]>)[]> {
  const [only] = groups;
  if (only && groups.length === 1) return [await placeSurely(sql, only)];
  try {
    const together = await placeMany(sql, groups.flat());
    return groups.map((orders) => {
      const rest = orders.filter((order) => !together.has(order));
      return rest.length === 0 ? merged(orders, together) : placeLeft(sql, orders, rest, together);
    });
  } catch (error) {
    if (isOfAll(error)) return groups.map((orders) => failed(orders, error));
    return groups.map((orders) => placeAnew(sql, orders));
  }
}

/** A wallet's orders of which some did not fit with the others. */
async function placeLeft(
  sql: Sql,
  orders: readonly Order[],
  rest: readonly Order[],
  together: ReadonlyMap<Order, Answer>,
): Promise<readonly Answer[]> {
  const alone = await placeSurely(sql, rest);
  const answers = new Map(together);
  rest.forEach((order, index) => {
    const answer = alone[index];
    if (answer) answers.set(order, answer);
  });
  return merged(orders, answers);
}

const merged = (orders: readonly Order[], answers: ReadonlyMap<Order, Answer>): Answer[] =>
  orders.map((order) => {
    const answer = answers.get(order);
    if (!answer) throw new Error('an order was not answered');
    return answer;
  });

/**
 * Places a wallet's orders, also when the connection is lost in the middle or one of them breaks the
 * call: whatever happens, each order gets an answer of its own.
 */
const placeSurely = (sql: Sql, orders: readonly Order[]): Promise<readonly Answer[]> =>
  placeBatch(sql, orders).catch((error: unknown) =>
    isOfAll(error) ? failed(orders, error) : placeAnew(sql, orders),
  );

/**
 * Places a wallet's orders after a call that failed, or may have. What stands is found by the ids, under
 * the wallet's lock, and only what does not stand is sent again, with the same ids: an unknown outcome
 * never places or charges anything twice. When it fails again, one of the orders is at fault: it is looked
 * for by halves, and it alone fails.
 */
async function placeAnew(sql: Sql, orders: readonly Order[]): Promise<readonly Answer[]> {
  try {
    return await retrying(() => placeAgain(sql, orders));
  } catch (error) {
    if (orders.length === 1 || isTransient(error) || isOfAll(error)) return failed(orders, error);
  }
  const half = Math.ceil(orders.length / 2);
  const first = await placeAnew(sql, orders.slice(0, half));
  return [...first, ...(await placeAnew(sql, orders.slice(half)))];
}

/** True for a definite "no" that every order would meet alike; asking one by one would only take longer. */
const isOfAll = (error: unknown): boolean =>
  hasCode(error, 'WA001') || (isShort(error) && !isTransient(error));

const failed = (orders: readonly Order[], error: unknown): Error[] => {
  const trouble = error instanceof Error ? error : new Error('placing failed', { cause: error });
  const answer = hasCode(error, 'WA001') ? new Refusal('wallet_frozen', {}) : trouble;
  return orders.map(() => answer);
};

async function placeAgain(sql: Sql, orders: readonly Order[]): Promise<readonly Answer[]> {
  const accountId = walletOf(orders);
  const ids = orders.flatMap((order) => order.items.map((item) => item.id));
  const standing = await sql<{ o_id: string; o_available: number }[]>`
    select * from accepted_of(${accountId}, ${ids}::uuid[])`;
  const there = new Set(standing.map((row) => row.o_id));
  const saldo = rupiah(standing[0]?.o_available ?? 0);
  // With a key, the first answer is kept under it: asking again, whole, gives it. Without one, only what
  // does not stand is asked for.
  const rest = orders.map((order) =>
    order.key === undefined
      ? { ...order, items: order.items.filter((item) => !there.has(item.id)) }
      : order,
  );
  const asked = rest.filter((order) => order.items.length > 0);
  let answers: readonly Answer[] = [];
  try {
    if (asked.length > 0) answers = await placeBatch(sql, asked);
  } catch (error) {
    if (hasCode(error, 'WA001')) return placedBefore(sql, orders, { there, saldo });
    throw error;
  }
  const answerTo = new Map(asked.map((order, index) => [order, answers[index]]));
  return orders.map((order, index) => {
    const part = rest[index];
    const answer = part && answerTo.get(part);
    if (answer === undefined) return allAccepted(order, saldo);
    if (answer instanceof Error || order.key !== undefined) return answer;
    const found = new Map(part?.items.map((item, at) => [item.id, answer.results[at]]));
    const results = order.items.map(
      ({ id }) => found.get(id) ?? { id, outcome: 'accepted' as const, fact: null },
    );
    return { ...answer, results };
  });
}

/**
 * What stands of orders whose wallet was frozen after they may have been placed: what was placed is
 * answered as such, and only the rest is refused. Nothing more is placed.
 */
async function placedBefore(
  sql: Sql,
  orders: readonly Order[],
  { there, saldo }: { there: ReadonlySet<string>; saldo: Rupiah },
): Promise<readonly Answer[]> {
  const keyed = orders.filter(({ key }) => key !== undefined);
  const kept = await sql<Kept[]>`
    select k.message_ids as o_ids, k.outcomes as o_outcomes, k.saldo as o_saldo,
      k.answer_context as o_context
    from unnest(
      ${keyed.map(({ tokenId }) => tokenId)}::uuid[], ${keyed.map(({ key }) => key ?? '')}::text[]
    ) as o(token_id, key)
    join request_keys k on k.account_id = ${walletOf(orders)} and k.token_id = o.token_id
      and k.key = o.key`;
  const own = new Map(kept.map((row) => [row.o_ids?.[0], row]));
  return orders.map((order) => {
    const first = own.get(order.items[0]?.id ?? '');
    if (first) return answerKept(first, order);
    if (!order.items.some(({ id }) => there.has(id))) return new Refusal('wallet_frozen', {});
    const results = order.items.map(({ id }) => ({
      id,
      outcome: there.has(id) ? ('accepted' as const) : ('frozen' as const),
      fact: null,
    }));
    return { ...allAccepted(order, saldo), results };
  });
}

/** The common path over many wallets: what fits whole is placed in one call; the rest is not in the answer. */
async function placeMany(sql: Sql, orders: readonly Order[]): Promise<Map<Order, Placed>> {
  const spans = spansOf(orders);
  const items = orders.flatMap((order) => order.items);
  const requests = orders.flatMap((order, index) => order.items.map(() => index + 1));
  const rows = await sql<{ o_request: number; o_saldo: number }[]>`select * from accept_many(
    ${orders.map((order) => order.accountId)}::uuid[],
    ${orders.map((order) => order.key ?? null)}::text[],
    ${orders.map((order) => hex(order.hash))}::text[]::bytea[],
    ${orders.map((order) => order.tokenId)}::uuid[],
    ${spans.map((span) => span.from)}::int[],
    ${spans.map((span) => span.upto)}::int[],
    ${spans.map((span) => span.price)}::bigint[],
    ${requests}::int[],
    ${items.map((item) => item.id)}::uuid[],
    ${items.map((item) => item.tokenId)}::uuid[],
    ${items.map((item) => item.peer)}::text[],
    ${items.map((item) => item.type)}::text[],
    ${items.map((item) => JSON.stringify(item.body))}::text[]::jsonb[],
    ${items.map((item) => item.price)}::bigint[],
    ${items.map((item) => item.ref ?? null)}::text[],
    ${items.map((item) => hex(item.hash))}::text[]::bytea[],
    ${items.map((item) => item.priority)}::smallint[],
    ${items.map((item) => item.readyAt?.toISOString() ?? null)}::text[]::timestamptz[],
    ${items.map((item) => item.expiresAt?.toISOString() ?? null)}::text[]::timestamptz[],
    ${items.map((item) => item.secret ?? null)}::text[],
    ${orders.map(contextText)}::text[]::jsonb[]
  )`;
  const placed = new Map<Order, Placed>();
  for (const { o_request, o_saldo } of rows) {
    const order = orders[o_request - 1];
    if (order) placed.set(order, allAccepted(order, rupiah(o_saldo)));
  }
  return placed;
}

const allAccepted = ({ items, context }: Order, saldo: Rupiah): Placed => ({
  results: items.map(({ id }) => ({ id, outcome: 'accepted', fact: null })),
  saldo,
  replayed: false,
  context,
});

/** A context is kept with its key, or not at all. */
const contextText = ({ key, context }: Order): string | null =>
  key === undefined || context === undefined ? null : JSON.stringify(context);

const walletOf = ([first]: readonly Order[]): string => first?.accountId ?? '';

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** How `bytea` is written in an array: the driver would take the elements' type for the array's. */
const hex = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`;

async function placeBatch(sql: Sql, orders: readonly Order[]): Promise<Answer[]> {
  const items = orders.flatMap((order) => order.items);
  const spans = spansOf(orders);
  const rows = await sql<Row[]>`select * from accept_batch(
    ${walletOf(orders)},
    ${orders.map((order) => order.key ?? null)}::text[],
    ${orders.map((order) => hex(order.hash))}::text[]::bytea[],
    ${orders.map((order) => order.tokenId)}::uuid[],
    ${spans.map((span) => span.from)}::int[],
    ${spans.map((span) => span.upto)}::int[],
    ${spans.map((span) => span.sum)}::bigint[],
    ${items.map((item) => item.id)}::uuid[],
    ${items.map((item) => item.tokenId)}::uuid[],
    ${items.map((item) => item.peer)}::text[],
    ${items.map((item) => item.type)}::text[],
    ${items.map((item) => JSON.stringify(item.body))}::text[]::jsonb[],
    ${items.map((item) => item.price)}::bigint[],
    ${items.map((item) => item.ref ?? null)}::text[],
    ${items.map((item) => hex(item.hash))}::text[]::bytea[],
    ${items.map((item) => item.priority)}::smallint[],
    ${items.map((item) => item.readyAt?.toISOString() ?? null)}::text[]::timestamptz[],
    ${items.map((item) => item.expiresAt?.toISOString() ?? null)}::text[]::timestamptz[],
    ${items.map((item) => item.secret ?? null)}::text[],
    ${orders.map(contextText)}::text[]::jsonb[]
  )`;
  return answersFrom(rows, orders, spans);
}

/** Which items belong to which order, counting from 1; `price` is the order's own, `sum` runs on. */
function spansOf(orders: readonly Order[]) {
  let count = 0;
  let sum = 0;
  return orders.map((order) => {
    const from = count + 1;
    const price = order.items.reduce((total, item) => total + item.price, 0);
    count += order.items.length;
    sum += price;
    return { from, upto: count, price, sum };
  });
}

function answersFrom(
  rows: readonly Row[],
  orders: readonly Order[],
  spans: readonly { from: number; upto: number }[],
): Answer[] {
  const results: ItemResult[][] = orders.map(() => []);
  const saldos: number[] = orders.map(() => 0);
  const special: (Answer | undefined)[] = orders.map(() => undefined);
  for (const row of rows) {
    const order = row.o_request - 1;
    const asked = orders[order];
    if (row.o_outcome === 'conflict') special[order] = new Refusal('idempotency_conflict', {});
    else if (row.o_outcome === 'replayed') special[order] = asked && answerKept(row, asked);
    else if (row.o_id !== null) {
      const place = row.o_item - (spans[order]?.from ?? 1);
      const list = results[order];
      if (list) list[place] = { id: row.o_id, outcome: row.o_outcome, fact: row.o_fact };
      saldos[order] = row.o_saldo ?? 0;
    }
  }
  return orders.map(({ context }, index) => {
    const found = results[index] ?? [];
    const saldo = rupiah(saldos[index] ?? 0);
    return special[index] ?? { results: found, saldo, replayed: false, context };
  });
}

/** A request sent again after a lost answer finds its own ids under its key: that is no replay. */
function answerKept(kept: Kept, order: Order): Placed {
  const ids = kept.o_ids ?? [];
  return {
    results: kept.o_outcomes ?? ids.map((id) => ({ id, outcome: 'accepted' as const, fact: null })),
    saldo: rupiah(kept.o_saldo ?? 0),
    replayed: ids[0] !== order.items[0]?.id,
    context: kept.o_context ?? undefined,
  };
}
