import type { Refusal } from '#contract/base/refusals.ts';
import { TEMPLATE_LIMITS, type TemplateFile, templateFiles } from '#contract/messages/templates.ts';
import { CloudRefusal } from '#server/http/dialects/cloud/errors.ts';
import { at, given, listAt, textAt } from '#server/infra/net/json-values.ts';
import { type Draft, type DraftOptions, media } from './parts.ts';
import { phrases } from './phrases.ts';

/**
 * A template with its body's parameters as variables, what its header takes, and what its buttons are filled in
 * with. What quick replies carry is told when one is chosen.
 */
export function templateDraft(
  template: unknown,
  { language, variableNames }: DraftOptions,
): Draft | Refusal {
  const components = listAt(template, 'components');
  const header = headerIn(parametersOf(components, 'header'));
  if (header === 'unfit') {
    return new CloudRefusal(132012, { 'template.components': phrases.header[language] });
  }
  const parameters = parametersOf(components, 'body');
  const texts = parameters.map(textOfParameter);
  if (texts.includes(undefined)) {
    return new CloudRefusal(131009, { 'template.components': phrases.parameter[language] });
  }
  const named = new Map(
    parameters.flatMap((one, index): [string, unknown][] => {
      const name = textAt(one, 'parameter_name');
      return name === undefined ? [] : [[name, texts[index]]];
    }),
  );
  if (variableNames && named.keys().some((name) => !variableNames.includes(name))) {
    return new CloudRefusal(132000, {
      'template.components': phrases.parameterName(variableNames)[language],
    });
  }
  // One that is missing, or has no name among those that have, leaves too few: refused as a count that does not fit.
  const ordered = variableNames?.flatMap((name) => (named.has(name) ? [named.get(name)] : []));
  const variables = ordered ?? texts;
  const code = at(template, 'language', 'code') ?? at(template, 'language');
  return {
    fields: {
      type: 'template',
      template: given({
        name: at(template, 'name'),
        language: code,
        variables: variables.length === 0 ? undefined : variables,
        header: header?.given,
        buttons: buttonsIn(components),
      }),
    },
    places: {
      'template.variables': 'template.components',
      'template.header': 'template.components',
      'template.buttons': 'template.components',
      'template.language': 'template.language.code',
      payloads: 'template.components',
    },
    payloads: payloadsIn(components),
    headerKind: header?.kind,
  };
}

type Header = { given: unknown; kind?: TemplateFile };

/** What a header's one parameter gives: a file, or a text. */
function headerIn(parameters: readonly unknown[]): Header | undefined | 'unfit' {
  const [parameter, another] = parameters;
  if (parameter === undefined) return undefined;
  const kind = templateFiles.find((one) => at(parameter, 'type') === one);
  if (another !== undefined) return 'unfit';
  if (kind !== undefined) {
    const file = at(parameter, kind);
    const own = kind === 'document' ? { filename: at(file, 'filename') || undefined } : {};
    return { given: media(kind, file, {}, own).fields[kind], kind };
  }
  const text = textOfParameter(parameter);
  return text === undefined ? 'unfit' : { given: { text } };
}

/** What fills in its buttons; undefined where nothing does. */
function buttonsIn(components: readonly unknown[]): readonly unknown[] | undefined {
  const buttons = components.flatMap((one) => {
    const name = Object.keys(valueNames).find((type) => isOf(one, 'sub_type', type));
    const [parameter] = listAt(one, 'parameters');
    const isFilled = isOf(one, 'type', 'button') && parameter !== undefined;
    if (!isFilled || name === undefined) return [];
    const text = at(parameter, valueNames[name as keyof typeof valueNames]);
    return [{ index: Number(at(one, 'index')), text }];
  });
  return buttons.length === 0 ? undefined : buttons;
}

/** By which name a parameter gives its value, by the sub-type of its button. */
const valueNames = { url: 'text', copy_code: 'coupon_code' } as const;

/** What its quick replies carry, each at the place of its button; undefined where none carries anything. */
function payloadsIn(components: readonly unknown[]): readonly unknown[] | undefined {
  const payloads = new Map<number, unknown>();
  for (const one of components) {
    const place = Number(at(one, 'index'));
    const [parameter] = listAt(one, 'parameters');
    const payload = at(parameter, 'payload');
    const isReply = isOf(one, 'type', 'button') && isOf(one, 'sub_type', 'quick_reply');
    if (!isReply || payload === undefined || !isPlace(place)) continue;
    payloads.set(place, payload);
  }
  if (payloads.size === 0) return undefined;
  return Array.from({ length: TEMPLATE_LIMITS.buttons }, (_, place) => payloads.get(place));
}

const isPlace = (place: number): boolean =>
  Number.isInteger(place) && place >= 0 && place < TEMPLATE_LIMITS.buttons;

const isOf = (component: unknown, field: string, expected: string): boolean =>
  String(textAt(component, field)).toLowerCase() === expected;

/** The name and language of a template whose variables are given by name; undefined where they are not. */
export function templateNamed(
  template: unknown,
): { name: string; language: string | undefined } | undefined {
  const parameters = parametersOf(listAt(template, 'components'), 'body');
  const name = textAt(template, 'name');
  if (name === undefined || !parameters.some((one) => textAt(one, 'parameter_name')))
    return undefined;
  return { name, language: textAt(template, 'language', 'code') };
}

const parametersOf = (components: readonly unknown[], type: string): readonly unknown[] =>
  components.filter((one) => isOf(one, 'type', type)).flatMap((one) => listAt(one, 'parameters'));

function textOfParameter(parameter: unknown): string | undefined {
  switch (at(parameter, 'type')) {
    case 'text':
      return textAt(parameter, 'text');
    case 'currency':
      return textAt(parameter, 'currency', 'fallback_value');
    case 'date_time':
      return textAt(parameter, 'date_time', 'fallback_value');
    default:
      return undefined;
  }
}
