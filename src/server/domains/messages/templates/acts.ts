import { type InputOf, PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import {
  type Template,
  createTemplate,
  deleteTemplate,
  listTemplates,
  syncTemplateList,
} from '#contract/messages/templates.ts';
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
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

async function pageOfTemplates(
  tx: Tx,
  accountId: string,
  {
    name,
    language,
    status,
    reviewed,
    q,
    page = 0,
    sort_by,
    sort_type,
  }: InputOf<typeof listTemplates>,
): Promise<PageOf<Template>> {
  const which = tx`
    account_id = ${accountId}
      ${name === undefined ? tx`` : tx`and name = ${name}`}
      ${language === undefined ? tx`` : tx`and language = ${language}`}
      ${status === undefined ? tx`` : tx`and status = ${status}`}
      ${reviewed === undefined ? tx`` : tx`and network_id is not null`}
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
