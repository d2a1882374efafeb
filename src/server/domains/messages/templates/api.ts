import { Refusal } from '#contract/base/refusals.ts';
import {
  TEMPLATE_LIMITS,
  type TemplateStatus,
  templateName,
  variablesOf,
} from '#contract/messages/templates.ts';
import type { ApiTemplate, NewTemplate } from '#contract/rest/templates.ts';
import { newId } from '#server/infra/ids.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import { type StoredTemplate, readTemplates } from './templates.ts';

type Sender = { accountId: string; simulated: boolean };

/** What the public API needs of templates. */
export type ApiTemplates = {
  /**
   * The account's templates, by name and language: all, or those of one name.
   *
   * @throws Refusal `template_not_found` when there is none of the name
   */
  list: (sender: Sender, name?: string) => Promise<ApiTemplate[]>;
  /** @throws Refusal `template_exists`, `templates_full` */
  add: (sender: Sender, template: NewTemplate) => Promise<ApiTemplate>;
  /** In one language, or in all of them. @throws Refusal `template_not_found` */
  remove: (sender: Sender, name: string, language: string | undefined) => Promise<void>;
};

/** The templates' side of `/v1`. They belong to the account: each of its tokens sends them. */
export const openApiTemplates = (sql: Sql): ApiTemplates => ({
  list: async ({ accountId }, name) => {
    if (name !== undefined && !templateName.test(name)) throw notFound(name);
    const names = name === undefined ? undefined : [name];
    const found = await asAccount(sql, accountId, (tx) => readTemplates(tx, accountId, names));
    if (name !== undefined && found.length === 0) throw notFound(name);
    return found.map(templateOf);
  },
  add: (sender, template) => add(sql, sender, template),
  remove: async ({ accountId }, name, language) => {
    if (!templateName.test(name)) throw notFound(name);
    const removed = await asAccount(
      sql,
      accountId,
      (tx) => tx`
        delete from message_templates
        where account_id = ${accountId} and name = ${name}
          ${language === undefined ? tx`` : tx`and language = ${language}`}
        returning 1`,
    );
    if (removed.length === 0) throw notFound(name);
  },
});

function add(sql: Sql, sender: Sender, given: NewTemplate): Promise<ApiTemplate> {
  const { accountId } = sender;
  const { name, language = 'id', category = 'utility', header, body, footer, buttons = [] } = given;
  return asAccount(sql, accountId, async (tx) => {
    const [count] = await tx<{ all: number }[]>`
      select count(*) as all from message_templates where account_id = ${accountId}`;
    if ((count?.all ?? 0) >= TEMPLATE_LIMITS.all) {
      throw new Refusal('templates_full', { limit: TEMPLATE_LIMITS.all });
    }
    const [added] = await tx<StoredTemplate[]>`
      insert into message_templates (
        account_id, template_id, name, language, category, header, body, footer, buttons, status
      ) values (
        ${accountId}, ${newId()}, ${name}, ${language}, ${category}, ${header ?? null}, ${body},
        ${footer ?? null}, ${buttons}::text[], ${reviewed(sender)}
      )
      on conflict (account_id, name, language) do nothing
      returning name, language, category, header, body, footer, buttons, status, reason, created_at`;
    if (!added) throw new Refusal('template_exists', { name, language });
    return templateOf(added);
  });
}

/** What the network's review says: the simulated one is content with everything; others take their time. */
const reviewed = ({ simulated }: Sender): TemplateStatus => (simulated ? 'approved' : 'pending');

const notFound = (name: string) => new Refusal('template_not_found', { name });

const templateOf = (stored: StoredTemplate): ApiTemplate => ({
  name: stored.name,
  language: stored.language,
  category: stored.category,
  status: stored.status,
  reason: stored.reason,
  header: stored.header,
  body: stored.body,
  footer: stored.footer,
  buttons: [...stored.buttons],
  variables: [...variablesOf(stored.body)],
  created_at: stored.created_at,
});
