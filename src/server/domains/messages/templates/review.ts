import type { NewTemplate } from '#contract/rest/templates.ts';
import { TEMPLATE_LIMITS, type TemplateCategory } from '#contract/messages/templates.ts';
import type { NetworkTemplate } from '#server/domains/channels/channels.ts';
import { appendEvent } from '#server/domains/events/events.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';

/** The network that reviews an account's templates. */
export type TemplateReview = {
  /** Whether it does: the account has a number there. */
  reviews(accountId: string): Promise<boolean>;
  /** The templates that it knows. @throws Refusal `cloud_refused`, `cloud_unreachable` */
  list(accountId: string): Promise<readonly NetworkTemplate[]>;
  /** Hands one in. @throws Refusal, as `list` does */
  submit(accountId: string, template: NewTemplate): Promise<void>;
  /** Deletes one in all its languages. @throws Refusal, as `list` does */
  remove(accountId: string, name: string): Promise<void>;
};

/** Nobody reviews: all is as it is handed in. */
export const noReview: TemplateReview = {
  reviews: async () => false,
  list: async () => [],
  submit: async () => undefined,
  remove: async () => undefined,
};

type Deps = { sql: Sql; review: TemplateReview };

/**
 * Stores an account's templates as its network has them. What the network has is the truth of those it reviews;
 * those that are only ours stay, until the network has one of their name and language.
 *
 * @throws Refusal, as `TemplateReview.list` does
 */
export async function syncTemplates({ sql, review }: Deps, accountId: string): Promise<void> {
  if (!(await review.reviews(accountId))) return;
  const known = await review.list(accountId);
  const byName = Map.groupBy(known, ({ name, language }) => `${name} ${language}`);
  await asAccount(sql, accountId, async (tx) => {
    const changed = await storeTemplates(
      tx,
      accountId,
      [...byName.values()].map(joined).slice(0, TEMPLATE_LIMITS.all * 2),
    );
    if (changed) await appendEvent(tx, { accountId, kind: 'template.changed', data: {} });
  });
}

/** One template of the same name in several business accounts: only the tokens of those that approved it send it. */
const joined = (same: readonly NetworkTemplate[]): NetworkTemplate => ({
  ...same.reduce((one, other) => (rankOf(other) > rankOf(one) ? other : one)),
  tokenIds: same
    .filter(({ status }) => status === 'approved')
    .flatMap(({ tokenIds }) => tokenIds)
    .toSorted(),
});

const dearness: Readonly<Record<TemplateCategory, number>> = {
  utility: 1,
  authentication: 2,
  marketing: 3,
};

/**
 * Of two business accounts with a template of the same name, the approved one counts; of two such, the dearer, also
 * where it cannot be sent from here: which of them leaves is decided by the number that sends.
 */
const rankOf = ({ status, isLive, category }: NetworkTemplate): number =>
  isLive ? dearness[category] + (status === 'approved' ? 0.5 : 0) : 0;

/** @returns whether anything has changed */
async function storeTemplates(
  tx: Tx,
  accountId: string,
  templates: readonly NetworkTemplate[],
): Promise<boolean> {
  let changes = 0;
  for (const one of templates) {
    const stored = await tx`
      insert into message_templates as t (
        account_id, template_id, name, language, category, header, header_file, body, footer,
        buttons, button_kinds, status, reason, token_ids, network_id
      ) values (
        ${accountId}, ${newId()}, ${one.name}, ${one.language}, ${one.category}, ${one.header},
        ${one.headerFile}, ${one.body}, ${one.footer}, ${one.buttons}::text[],
        ${one.buttonKinds}::text[], ${one.status}, ${one.reason},
        ${one.tokenIds}::uuid[], ${one.networkId}
      )
      on conflict (account_id, name, language) do update set
        category = excluded.category, header = excluded.header, header_file = excluded.header_file,
        body = excluded.body, footer = excluded.footer, buttons = excluded.buttons,
        button_kinds = excluded.button_kinds, status = excluded.status, reason = excluded.reason,
        token_ids = excluded.token_ids, network_id = excluded.network_id
        where (t.category, t.header, t.header_file, t.body, t.footer, t.buttons, t.button_kinds,
            t.status, t.reason, t.token_ids, t.network_id)
          is distinct from (excluded.category, excluded.header, excluded.header_file,
            excluded.body, excluded.footer, excluded.buttons, excluded.button_kinds,
            excluded.status, excluded.reason, excluded.token_ids,
            excluded.network_id)
      returning 1`;
    changes += stored.length;
  }
  const gone = await tx`
    delete from message_templates
    where account_id = ${accountId} and network_id is not null
      and (name, language) not in (
        select * from unnest(
          ${templates.map(({ name }) => name)}::text[],
          ${templates.map(({ language }) => language)}::text[]
        )
      )
    returning 1`;
  return changes + gone.length > 0;
}
