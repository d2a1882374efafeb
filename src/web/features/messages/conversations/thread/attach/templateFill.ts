import {
  fillTemplate,
  TEMPLATE_LIMITS,
  valueOrderOf,
  type Template,
} from '#contract/messages/templates.ts';
import type { TemplateToSend } from '#web/features/messages/conversations/thread/sending.ts';

/** Values by the names of the variables, the header's, and the positions of the buttons. */
export type Filling = {
  variables: Readonly<Record<string, string>>;
  header: string;
  buttons: Readonly<Record<number, string>>;
};

export const emptyFilling: Filling = { variables: {}, header: '', buttons: {} };

const shownFor = (text: string, values: Readonly<Record<string, string>>): string =>
  fillTemplate(
    text,
    valueOrderOf(text).map((name) => values[name] || `{{${name}}}`),
  );

/** A template as its recipient will read it; placeholders without a value stay. */
export function shownTemplate(
  { header, header_variable: variable, body, footer, buttons }: Template,
  filling: Filling,
): TemplateToSend['shown'] {
  const values = variable === null ? {} : { [variable]: filling.header };
  return {
    header: header === null ? null : shownFor(header, values),
    body: shownFor(body, filling.variables),
    footer,
    buttons: [...new Set(buttons)],
  };
}

/** Missing or too long values, by field: `variable 1`, `header`, `file`, `button 0`. */
export function faultsOf(
  template: Template,
  filling: Filling,
  hasFile: boolean,
): Readonly<Record<string, string>> {
  const { body, header_file: file, header_variable: variable, button_values: values } = template;
  const { variable: long, header: longHeader, buttonValue: longButton } = TEMPLATE_LIMITS;
  const fields: [field: string, text: string, max: number][] = [
    ...valueOrderOf(body).map((name): [string, string, number] => [
      `variable ${name}`,
      filling.variables[name] ?? '',
      long,
    ]),
    ...(variable === null
      ? []
      : [['header', filling.header, longHeader] satisfies [string, string, number]]),
    ...values.map(({ index }): [string, string, number] => [
      `button ${index}`,
      filling.buttons[index] ?? '',
      longButton,
    ]),
  ];
  const wrong = fields.flatMap(([field, text, max]): [string, string][] =>
    text.trim() === ''
      ? [[field, 'Isi bagian ini.']]
      : text.length > max
        ? [[field, `Paling panjang ${max} karakter.`]]
        : [],
  );
  const missing: [string, string][] =
    file === null || hasFile ? [] : [['file', 'Pilih berkas di atas teksnya.']];
  return Object.fromEntries([...missing, ...wrong]);
}

export function templateToSend(template: Template, filling: Filling): TemplateToSend {
  const { name, language, body, header_variable, button_values: values } = template;
  const order = valueOrderOf(body);
  const last = Math.max(-1, ...values.map(({ index }) => index));
  return {
    name,
    language,
    ...(order.length > 0 && {
      variables: order.map((variable) => filling.variables[variable] ?? ''),
    }),
    ...(header_variable !== null && { header: filling.header }),
    ...(last >= 0 && {
      buttons: Array.from({ length: last + 1 }, (_, index) =>
        values.some((one) => one.index === index) ? (filling.buttons[index] ?? '') : '',
      ),
    }),
    shown: shownTemplate(template, filling),
  };
}
