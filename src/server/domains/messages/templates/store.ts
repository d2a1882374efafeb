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
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import type { TemplateReview } from './review.ts';
import { partsOf } from './parts.ts';
import { type StoredTemplate, readTemplates, templateColumns } from './rows.ts';

/** Stores a template; open pages learn of it. @throws Refusal `template_exists`, `templates_full` */
async function insertTemplate(
  tx: Tx,
  { accountId, status }: { accountId: string; status: TemplateStatus },
  given: NewTemplate,
): Promise<Template> {
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
      ${footer ?? null}, ${buttons}::text[], ${status}
    )
    on conflict (account_id, name, language) do nothing
    returning ${templateColumns(tx)}`;
  if (!added) throw new Refusal('template_exists', { name, language });
  await appendEvent(tx, { accountId, kind: 'template.changed', data: {} });
  return templateOf(added);
}

type Named = { accountId: string; name: string; language: string | undefined };

/** In one language, or in all of them; open pages learn of it. @throws Refusal `template_not_found` */
async function removeTemplate(tx: Tx, { accountId, name, language }: Named): Promise<void> {
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
  ...partsOf(stored),
  body: stored.body,
  footer: stored.footer,
  buttons: [...stored.buttons],
  variables: [...variablesOf(stored.body)],
  created_at: stored.created_at,
});

type Deps = { sql: Sql; review: TemplateReview };

/**
 * Hands a template in: where a network reviews the account's templates, there first. Without one it is approved.
 *
 * @throws Refusal `template_exists`, `templates_full`, `cloud_refused`, `cloud_unreachable`
 */
export async function addTemplate(
  { sql, review }: Deps,
  accountId: string,
  template: NewTemplate,
): Promise<Template> {
  const isReviewed = await review.reviews(accountId);
  if (isReviewed) {
    const { name, language = 'id' } = template;
    const known = await asAccount(sql, accountId, (tx) => readTemplates(tx, accountId, [name]));
    if (known.some((one) => one.language === language))
      throw new Refusal('template_exists', { name, language });
    await review.submit(accountId, template);
  }
  const status = isReviewed ? 'pending' : 'approved';
  return asAccount(sql, accountId, (tx) => insertTemplate(tx, { accountId, status }, template));
}

/**
 * Deletes a template: in one language here alone, in all of them at the network, too.
 *
 * @throws Refusal `template_not_found`, `cloud_refused`, `cloud_unreachable`
 */
export async function dropTemplate({ sql, review }: Deps, named: Named): Promise<void> {
  const { accountId, name } = named;
  if (await review.reviews(accountId)) await review.remove(accountId, name);
  await asAccount(sql, accountId, (tx) => removeTemplate(tx, named));
}
