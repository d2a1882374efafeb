import { Refusal } from '#contract/base/refusals.ts';
import {
  type TemplateCategory,
  type TemplateStatus,
  fillTemplate,
  valueOrderOf,
  variablesOf,
} from '#contract/messages/templates.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';

/** A template as it is stored. */
export type StoredTemplate = {
  name: string;
  language: string;
  category: TemplateCategory;
  header: string | null;
  body: string;
  footer: string | null;
  buttons: readonly string[];
  status: TemplateStatus;
  reason: string | null;
  /** Its id at the network that reviews it; null where none does. */
  network_id: string | null;
  created_at: Date;
};

/** A template with its variables filled in: what is stored of a message, and what its receiver reads. */
export type RenderedTemplate = {
  template: string;
  /** Not stored with the message. */
  category?: TemplateCategory;
  language: string;
  text: string;
  header?: string;
  footer?: string;
  buttons?: readonly string[];
  /** What its variables were filled with: a network that fills the template itself is given these. */
  parameters?: readonly { name: string; text: string }[];
  /** Its one variable is a code, which its button copies: its network is given it once more for the button. */
  code_button?: true;
};

type Named = {
  name: string;
  language?: string | undefined;
  variables?: readonly string[] | undefined;
};

/** The account's templates in all their languages: of these names, or all. */
export async function readTemplates(
  tx: Sql | Tx,
  accountId: string,
  names: readonly string[] | undefined,
): Promise<readonly StoredTemplate[]> {
  if (names?.length === 0) return [];
  return tx<StoredTemplate[]>`
    select name, language, category, header, body, footer, buttons, status, reason, network_id,
      created_at
    from message_templates
    where account_id = ${accountId}
      ${names ? tx`and name = any (${[...new Set(names)]}::text[])` : tx``}
    order by name, language`;
}

/** The template that a message names, filled in; or why it cannot be sent. */
export function renderTemplate(
  stored: readonly StoredTemplate[],
  { name, language, variables = [] }: Named,
): RenderedTemplate | Refusal {
  const named = stored.filter((one) => one.name === name);
  const fitting = language === undefined ? named : named.filter((one) => one.language === language);
  const [template, another] = fitting;
  if (!template) return new Refusal('template_not_found', { name });
  if (another) {
    const languages = fitting.map((one) => one.language).join(', ');
    return new Refusal('template_language_needed', { name, languages });
  }
  if (template.status !== 'approved') return new Refusal('template_not_approved', { name });
  const expected = variablesOf(template.body).length;
  const given = variables.length;
  if (expected !== given) {
    return new Refusal('template_variables_unfit', { name, expected, given });
  }
  return {
    template: template.name,
    ...(isOfCodes(template) && { code_button: true as const }),
    category: template.category,
    language: template.language,
    text: fillTemplate(template.body, variables),
    ...(template.header !== null && { header: template.header }),
    ...(template.footer !== null && { footer: template.footer }),
    ...(template.buttons.length > 0 && { buttons: template.buttons }),
    ...(given > 0 && {
      parameters: valueOrderOf(template.body).map((one, index) => ({
        name: one,
        text: variables[index] ?? '',
      })),
    }),
  };
}

/** Reviewed by a network, whose templates of this category are all of one kind: a code, with a button that copies it. */
const isOfCodes = ({ category, network_id }: StoredTemplate): boolean =>
  category === 'authentication' && network_id !== null;

/** What stands for a code where it must not be read. */
const HIDDEN_CODE = '••••••';

/**
 * The template by which an account sends one-time codes, filled with what stands for a code: Indonesian, where there
 * are several. Undefined while no network has approved one.
 */
export async function codeTemplate(
  sql: Sql | Tx,
  accountId: string,
): Promise<RenderedTemplate | undefined> {
  const stored = await readTemplates(sql, accountId, undefined);
  const fit = stored.filter((one) => isOfCodes(one) && variablesOf(one.body).length === 1);
  const sendable = fit.filter(({ status }) => status === 'approved');
  const chosen = sendable.find(({ language }) => language === 'id') ?? sendable[0];
  if (!chosen) return undefined;
  const { name, language } = chosen;
  const rendered = renderTemplate([chosen], { name, language, variables: [HIDDEN_CODE] });
  return rendered instanceof Refusal ? undefined : rendered;
}
