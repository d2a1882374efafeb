import { publicId } from '#contract/base/ids.ts';
import type { InputOf } from '#contract/base/act.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  type MessageView,
  VIEWS_MAX,
  ViewFilters,
  deleteView,
  listViews,
  saveView,
} from '#contract/messages/history/views.ts';
import { appendEvent } from '#server/domains/events/events.ts';
import { newId } from '#server/infra/ids.ts';
import { requireToken } from '#server/domains/tokens/tokens.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';

type Deps = {
  sql: Sql;
  /** Called after a view was stored: the outbox has news. */
  onStored: () => void;
};

/** Whose views they are: each person of an account has their own. */
type Person = { accountId: string; userId: string };

type StoredView = { view_id: string; name: string; filters: unknown };

/** The acts of saved views of the message table. */
export const viewActs = ({ sql, onStored }: Deps): readonly ActHandler[] => [
  handle(listViews, async ({ caller: { accountId, userId } }) => ({
    views: await asAccount(sql, accountId, (tx) => readViews(tx, { accountId, userId })),
  })),
  handle(saveView, async ({ caller: { accountId, userId } }, input) => {
    const view = await storeView(sql, { accountId, userId }, input);
    onStored();
    return view;
  }),
  handle(deleteView, async ({ caller: { accountId, userId } }, { view_id: viewId }) => {
    await removeView(sql, { accountId, userId }, viewId);
    onStored();
    return {};
  }),
];

async function readViews(tx: Tx, { accountId, userId }: Person): Promise<MessageView[]> {
  const found = await tx<StoredView[]>`
    select view_id, name, filters from message_views
    where account_id = ${accountId} and user_id = ${userId} order by view_id`;
  return found.map(viewOf);
}

/** What is stored that nobody understands any more is left out, and the rest still shown. */
function viewOf({ view_id, name, filters }: StoredView): MessageView {
  const read = ViewFilters().safeParse(filters);
  return { id: publicId('view', view_id), name, filters: read.success ? read.data : {} };
}

/** Filters as they are stored; a range that moves along has no days of its own. */
function filtersOf(input: InputOf<typeof saveView>): ViewFilters {
  const { view_id: _, name: __, token_id: tokenId, days, from, to, ...rest } = input;
  const range = days === undefined ? { from, to } : { days };
  return { ...rest, ...range, ...(tokenId && { token_id: publicId('token', tokenId) }) };
}

/** @throws Refusal `not_found`, `views_full`, `view_name_taken`. */
function storeView(
  sql: Sql,
  { accountId, userId }: Person,
  input: InputOf<typeof saveView>,
): Promise<MessageView> {
  const { view_id: viewId = newId(), name } = input;
  const filters = filtersOf(input);
  return asAccount(sql, accountId, async (tx) => {
    // One at a time: two that add the last one would both find room.
    await tx`select pg_advisory_xact_lock(hashtextextended(${`message_views ${userId}`}, 0))`;
    await refuse(tx, { accountId, userId }, input);
    if (input.token_id !== undefined) {
      await requireToken(tx, accountId, input.token_id, { alsoDeleted: true });
    }
    const [stored] =
      input.view_id === undefined
        ? await tx<StoredView[]>`
            insert into message_views (account_id, user_id, view_id, name, filters)
            values (${accountId}, ${userId}, ${viewId}, ${name}, ${json(filters)})
            returning view_id, name, filters`
        : await tx<StoredView[]>`
            update message_views set name = ${name}, filters = ${json(filters)}
            where account_id = ${accountId} and user_id = ${userId} and view_id = ${viewId}
            returning view_id, name, filters`;
    if (!stored) throw notFound();
    await announce(tx, { accountId, userId });
    return viewOf(stored);
  });
}

async function refuse(
  tx: Tx,
  { accountId, userId }: Person,
  { view_id: viewId, name }: InputOf<typeof saveView>,
): Promise<void> {
  const [known] = await tx<{ others: number; namesakes: number }[]>`
    select count(*) as others, count(*) filter (where lower(name) = lower(${name})) as namesakes
    from message_views
    where account_id = ${accountId} and user_id = ${userId} and view_id is distinct from ${viewId ?? null}::uuid`;
  const { others = 0, namesakes = 0 } = known ?? {};
  if (namesakes > 0) throw new Refusal('view_name_taken', { name });
  if (viewId === undefined && others >= VIEWS_MAX)
    throw new Refusal('views_full', { limit: VIEWS_MAX });
}

/** @throws Refusal `not_found`. */
const removeView = (sql: Sql, { accountId, userId }: Person, viewId: string): Promise<void> =>
  asAccount(sql, accountId, async (tx) => {
    const { count } = await tx`
      delete from message_views
      where account_id = ${accountId} and user_id = ${userId} and view_id = ${viewId}`;
    if (count === 0) throw notFound();
    await announce(tx, { accountId, userId });
  });

const announce = (tx: Tx, { accountId, userId }: Person) =>
  appendEvent(tx, {
    accountId,
    kind: 'view.changed',
    data: { user_id: publicId('user', userId) },
  });

const notFound = () => new Refusal('not_found', { what: 'Tampilan' });
