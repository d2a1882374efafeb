import { Refusal } from '#contract/base/refusals.ts';
import { type Template, templateName, valueOrderOf } from '#contract/messages/templates.ts';
import type { NewTemplate } from '#contract/rest/templates.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import type { TemplateReview } from './review.ts';
import { addTemplate, dropTemplate, templateOf } from './store.ts';
import { readTemplates } from './rows.ts';

type Sender = { accountId: string };

/** What the public API needs of templates. */
export type ApiTemplates = {
  /**
   * The account's templates, by name and language: all, or those of one name.
   *
   * @throws Refusal `template_not_found` when there is none of the name
   */
  list: (sender: Sender, name?: string) => Promise<Template[]>;
  /**
   * The variables that a template's text names, in the order in which a message gives their values; undefined
   * where no template is meant, or several are.
   */
  variablesOf: (
    sender: Pick<Sender, 'accountId'>,
    named: { name: string; language: string | undefined },
  ) => Promise<readonly string[] | undefined>;
  /** @throws Refusal `template_exists`, `templates_full` */
  add: (sender: Sender, template: NewTemplate) => Promise<Template>;
  /** In one language, or in all of them. @throws Refusal `template_not_found` */
  remove: (sender: Sender, name: string, language: string | undefined) => Promise<void>;
};

/** The templates' side of `/v1`. They belong to the account: each of its tokens sends them. */
export const openApiTemplates = ({
  sql,
  review,
}: {
  sql: Sql;
  review: TemplateReview;
}): ApiTemplates => ({
  list: async ({ accountId }, name) => {
    if (name !== undefined && !templateName.test(name)) throw notFound(name);
    const names = name === undefined ? undefined : [name];
    const found = await asAccount(sql, accountId, (tx) => readTemplates(tx, accountId, names));
    if (name !== undefined && found.length === 0) throw notFound(name);
    return found.map(templateOf);
  },
  variablesOf: async ({ accountId }, { name, language }) => {
    if (!templateName.test(name)) return undefined;
    const found = await asAccount(sql, accountId, (tx) => readTemplates(tx, accountId, [name]));
    const fitting = found.filter((one) => language === undefined || one.language === language);
    const [template, another] = fitting;
    return template && !another ? valueOrderOf(template.body) : undefined;
  },
  add: (sender, template) => addTemplate({ sql, review }, sender.accountId, template),
  remove: async ({ accountId }, name, language) => {
    if (!templateName.test(name)) throw notFound(name);
    await dropTemplate({ sql, review }, { accountId, name, language });
  },
});

const notFound = (name: string) => new Refusal('template_not_found', { name });
