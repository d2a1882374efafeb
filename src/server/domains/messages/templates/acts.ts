import { type InputOf, PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import {
  type Template,
  createTemplate,
  deleteTemplate,
  listTemplates,
  syncTemplateList,
} from '#contract/messages/templates.ts';
import { requireToken } from '#server/domains/tokens/tokens.ts';
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import { type Fragment, type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { type TemplateReview, syncTemplates } from './review.ts';
import { addTemplate, dropTemplate, templateOf } from './store.ts';
import { type StoredTemplate, templateColumns } from './rows.ts';

type Deps = { sql: Sql; review: TemplateReview };

/** The acts of templates: the list, handing one in, deleting one. They do what the public API does. */
export const templateActs = ({ sql, review }: Deps): readonly ActHandler[] => [
  handle(listTemplates, ({ caller: { accountId } }, input) =>
    asAccount(sql, accountId, (tx) => pageOfTemplates(tx, accountId, input)),
  ),
  handle(createTemplate, ({ caller: { accountId } }, template) =>
    addTemplate({ sql, review }, accountId, template),
  ),
  handle(deleteTemplate, async ({ caller: { accountId } }, { name, language }) => {
    await dropTemplate({ sql, review }, { accountId, name, language });
    return {};
  }),
  handle(syncTemplateList, async ({ caller: { accountId } }) => {
    await syncTemplates({ sql, review }, accountId);
    return {};
  }),
];

/** Those that a token sends: by the Cloud API what Meta lets its number send, by all other channels everything. */
const sentBy = (
  tx: Tx,
  { accountId, tokenId }: { accountId: string; tokenId: string },
): Fragment => tx`
  and (${tokenId} = any (token_ids) or exists (
    select from tokens
    where account_id = ${accountId} and token_id = ${tokenId} and channel <> 'cloud'))`;

/** A page of an account's templates: by name and language, unless sorted by their age. */
export async function pageOfTemplates(
  tx: Tx,
  accountId: string,
  {
    name,
    language,
    status,
    token_id: tokenId,
    q,
    page = 0,
    sort_by,
    sort_type,
  }: InputOf<typeof listTemplates>,
): Promise<PageOf<Template>> {
  if (tokenId !== undefined) await requireToken(tx, accountId, tokenId);
  const which = tx`
    account_id = ${accountId}
      ${name === undefined ? tx`` : tx`and name = ${name}`}
      ${language === undefined ? tx`` : tx`and language = ${language}`}
      ${status === undefined ? tx`` : tx`and status = ${status}`}
      ${tokenId === undefined ? tx`` : sentBy(tx, { accountId, tokenId })}
      ${q ? tx`and (strpos(name, ${q.toLowerCase()}) > 0 or strpos(lower(body), ${q.toLowerCase()}) > 0)` : tx``}`;
  const direction = sort_type === 'desc' ? tx`desc` : tx`asc`;
  const order =
    sort_by === 'created_at'
      ? tx`created_at ${direction}, name, language`
      : tx`name ${direction}, language`;
  const [counted] = await tx<{ total: number }[]>`
    select count(*) as total from message_templates where ${which}`;
  const found = await tx<StoredTemplate[]>`
    select ${templateColumns(tx)} from message_templates where ${which}
    order by ${order} limit ${PAGE_SIZE} offset ${page * PAGE_SIZE}`;
  return { rows: found.map(templateOf), total: counted?.total ?? 0 };
}
