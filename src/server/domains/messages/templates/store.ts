import { Refusal } from '#contract/base/refusals.ts';
import {
  TEMPLATE_LIMITS,
  type Template,
  type TemplateStatus,
  variablesOf,
} from '#contract/messages/templates.ts';
import type { NewTemplate } from '#contract/rest/templates.ts';
import { appendEvent } from '#server/domains/events/events.ts';
import { newId } from '#server/infra/ids.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import type { StoredTemplate } from './templates.ts';

type Owner = {
  accountId: string;
  /** The network that reviews it is the simulated one. */
  simulated: boolean;
};

/** Stores a template; open pages learn of it. @throws Refusal `template_exists`, `templates_full` */
export async function insertTemplate(tx: Tx, owner: Owner, given: NewTemplate): Promise<Template> {
  const { accountId } = owner;
  const { name, language = 'id', category = 'utility', header, body, footer, buttons = [] } = given;
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
      ${footer ?? null}, ${buttons}::text[], ${reviewed(owner)}
    )
    on conflict (account_id, name, language) do nothing
    returning name, language, category, header, body, footer, buttons, status, reason, created_at`;
  if (!added) throw new Refusal('template_exists', { name, language });
  await appendEvent(tx, { accountId, kind: 'template.changed', data: {} });
  return templateOf(added);
}

/** What the network's review says: the simulated one is content with everything; others take their time. */
const reviewed = ({ simulated }: Owner): TemplateStatus => (simulated ? 'approved' : 'pending');

type Named = { accountId: string; name: string; language: string | undefined };

/** In one language, or in all of them; open pages learn of it. @throws Refusal `template_not_found` */
export async function removeTemplate(tx: Tx, { accountId, name, language }: Named): Promise<void> {
  const removed = await tx`
    delete from message_templates
    where account_id = ${accountId} and name = ${name}
      ${language === undefined ? tx`` : tx`and language = ${language}`}
    returning 1`;
  if (removed.length === 0) throw new Refusal('template_not_found', { name });
  await appendEvent(tx, { accountId, kind: 'template.changed', data: {} });
}

/** A template as its owner sees it. */
export const templateOf = (stored: StoredTemplate): Template => ({
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
