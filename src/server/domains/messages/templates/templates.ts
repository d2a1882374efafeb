import { Refusal } from '#contract/base/refusals.ts';
import {
  type TemplateCategory,
  fillTemplate,
  unfitValue,
  valueOrderOf,
  variablesOf,
} from '#contract/messages/templates.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { type FilledParts, type GivenParts, fillParts } from './parts.ts';
import { type StoredTemplate, readTemplates } from './rows.ts';

/** A template with its variables filled in: what is stored of a message, and what its receiver reads. */
export type RenderedTemplate = FilledParts & {
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

type Named = GivenParts & {
  name: string;
  language?: string | undefined;
  variables?: readonly string[] | undefined;
};

/** The template that a message names, filled in; or why it cannot be sent. */
export function renderTemplate(
  stored: readonly StoredTemplate[],
  { name, language, variables = [], ...given }: Named,
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
  const count = variables.length;
  if (expected !== count) {
    return new Refusal('template_variables_unfit', { name, expected, given: count });
  }
  const parts = fillParts(template, given);
  if (parts instanceof Refusal) return parts;
  return {
    template: template.name,
    ...(isOfCodes(template) && { code_button: true as const }),
    category: template.category,
    language: template.language,
    text: fillTemplate(template.body, variables),
    ...parts,
    ...(template.header !== null && { header: headerOf(template.header, parts) }),
    ...(template.footer !== null && { footer: template.footer }),
    ...(template.buttons.length > 0 && { buttons: template.buttons }),
    ...(count > 0 && {
      parameters: valueOrderOf(template.body).map((one, index) => ({
        name: one,
        text: variables[index] ?? '',
      })),
    }),
  };
}

const headerOf = (header: string, { header_parameter: given }: FilledParts): string =>
  given === undefined ? header : fillTemplate(header, [given.text]);

/** Reviewed by a network, whose templates of this category are all of one kind: a code, with a button that copies it. */
const isOfCodes = ({ category, network_id }: StoredTemplate): boolean =>
  category === 'authentication' && network_id !== null;

/** The first value that Meta would refuse, by the name of its variable; a header and buttons have names of their own. */
export function refuseUnfitValue({
  template: name,
  parameters = [],
  header_parameter: header,
  button_values: buttons = [],
}: RenderedTemplate): Refusal | undefined {
  const values = [
    ...parameters,
    ...(header ? [header] : []),
    ...buttons.map(({ index, text }) => ({ name: `buttons[${index}]`, text })),
  ];
  for (const { name: variable, text } of values) {
    const why = unfitValue(text);
    if (why) return new Refusal('template_value_unfit', { name, variable, why });
  }
  return undefined;
}

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
