import { type InputOf, PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import {
  type Template,
  createTemplate,
  deleteTemplate,
  listTemplates,
} from '#contract/messages/templates.ts';
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { insertTemplate, removeTemplate, templateOf } from './store.ts';
import type { StoredTemplate } from './templates.ts';

/** The acts of templates: the list, handing one in, deleting one. They do what the public API does. */
export const templateActs = ({ sql }: { sql: Sql }): readonly ActHandler[] => [
  handle(listTemplates, ({ caller: { accountId } }, input) =>
    asAccount(sql, accountId, (tx) => pageOfTemplates(tx, accountId, input)),
  ),
  handle(createTemplate, ({ caller: { accountId } }, template) =>
    asAccount(sql, accountId, async (tx) =>
      insertTemplate(tx, { accountId, simulated: await isSimulated(tx, accountId) }, template),
    ),
  ),
  handle(deleteTemplate, async ({ caller: { accountId } }, { name, language }) => {
    await asAccount(sql, accountId, (tx) => removeTemplate(tx, { accountId, name, language }));
    return {};
  }),
];

async function pageOfTemplates(
  tx: Tx,
  accountId: string,
  { name, language, page = 0, sort_by, sort_type }: InputOf<typeof listTemplates>,
): Promise<PageOf<Template>> {
  const which = tx`
    account_id = ${accountId}
      ${name === undefined ? tx`` : tx`and name = ${name}`}
      ${language === undefined ? tx`` : tx`and language = ${language}`}`;
  const direction = sort_type === 'desc' ? tx`desc` : tx`asc`;
  const order =
    sort_by === 'created_at'
      ? tx`created_at ${direction}, name, language`
      : tx`name ${direction}, language`;
  const [counted] = await tx<{ total: number }[]>`
    select count(*) as total from message_templates where ${which}`;
  const found = await tx<StoredTemplate[]>`
    select name, language, category, header, body, footer, buttons, status, reason, created_at
    from message_templates where ${which}
    order by ${order} limit ${PAGE_SIZE} offset ${page * PAGE_SIZE}`;
  return { rows: found.map(templateOf), total: counted?.total ?? 0 };
}

/** Whether the account has no token of another network, whose review would be needed. */
async function isSimulated(tx: Tx, accountId: string): Promise<boolean> {
  const others = await tx`
    select 1 from tokens
    where account_id = ${accountId} and deleted_at is null and channel <> 'simulator' limit 1`;
  return others.length === 0;
}
