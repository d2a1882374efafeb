import { GraphError } from '#tests/support/meta/errors.ts';
import type { Template, TemplateBook } from '#tests/support/meta/templates.ts';
import type { CheckMedia } from './check-message.ts';
import { type Fields, listIn, missing, objectIn, textIn } from './fields.ts';

const variablesOf = (text: unknown): readonly string[] =>
  typeof text === 'string'
    ? [...new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name]) => name ?? ''))]
    : [];

function wordOf(fields: Fields | undefined, name: string, otherwise: string): string {
  const value = fields?.[name];
  return typeof value === 'string' ? value.toLowerCase() : otherwise;
}

const parametersIn = (component: Fields): readonly Fields[] =>
  component['parameters'] === undefined ? [] : listIn(component, 'parameters');

const wrongFormat = (details: string) => new GraphError(132_012, { details });

/** Meta accepts one line with at most four consecutive spaces. */
function checkText(text: string): void {
  if (text.trim() !== '' && !/[\n\r\t\v\f\u0085\u2028\u2029]| {5}/.test(text)) return;
  throw new GraphError(132_018, {
    details: 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces',
  });
}

function checkTexts(where: string, variables: readonly string[], given: readonly Fields[]): void {
  if (variables.length !== given.length) {
    throw new GraphError(132_000, {
      details: `${where}: number of localizable_params (${given.length}) does not match the expected number of params (${variables.length})`,
    });
  }
  const isNamed = variables.some((name) => !/^\d+$/.test(name));
  const names = given.map((one) => one['parameter_name']);
  if (isNamed && !variables.every((name) => names.includes(name))) {
    throw new GraphError(100, { details: `${where}: Parameter name is missing or empty` });
  }
  for (const parameter of given) {
    const got = wordOf(parameter, 'type', 'nothing');
    if (!['text', 'currency', 'date_time'].includes(got)) {
      throw wrongFormat(`${where}: Format mismatch, expected TEXT, received ${got}`);
    }
    if (got === 'text') checkText(textIn(parameter, 'text', 4096));
  }
}

/** @returns the code that the message fails with later, because of its file. */
function checkHeader(
  header: Fields | undefined,
  given: readonly Fields[],
  checkMedia: CheckMedia,
): number | undefined {
  const format = wordOf(header, 'format', 'text');
  if (format === 'text') {
    checkTexts('header', variablesOf(header?.['text']), given);
    return undefined;
  }
  const [parameter] = given;
  const got = wordOf(parameter, 'type', 'nothing');
  if (parameter === undefined || got !== format) {
    throw wrongFormat(`header: Format mismatch, expected ${format.toUpperCase()}, received ${got}`);
  }
  if (given.length > 1) throw new GraphError(132_000, { details: 'header: one parameter only' });
  if (format !== 'image' && format !== 'video' && format !== 'document') return undefined;
  return checkMedia(format, objectIn(parameter, format));
}

type ButtonRule = { subType: string; parameter: string; value: string; isNeeded: boolean };

function ruleOf(button: Fields): ButtonRule | undefined {
  switch (wordOf(button, 'type', '')) {
    case 'url':
      return variablesOf(button['url']).length === 0
        ? undefined
        : { subType: 'url', parameter: 'text', value: 'text', isNeeded: true };
    case 'copy_code': {
      const value = 'coupon_code';
      return { subType: 'copy_code', parameter: value, value, isNeeded: true };
    }
    case 'quick_reply':
      return { subType: 'quick_reply', parameter: 'payload', value: 'payload', isNeeded: false };
    default:
      return undefined;
  }
}

function checkButton(index: number, button: Fields, given: readonly Fields[]): void {
  const rule = ruleOf(button);
  const where = `buttons: Button at index ${index}`;
  const [component] = given;
  if (component === undefined) {
    const type = String(button['type']);
    if (rule?.isNeeded) throw missing(`${where} of type ${type} requires a parameter`);
    return;
  }
  if (rule === undefined) throw wrongFormat(`${where} takes no parameter`);
  const [parameter, another] = parametersIn(component);
  if (given.length > 1 || parameter === undefined || another !== undefined) {
    throw new GraphError(132_000, { details: `${where} takes one parameter` });
  }
  const isFitting =
    wordOf(component, 'sub_type', '') === rule.subType &&
    wordOf(parameter, 'type', '') === rule.parameter;
  if (!isFitting) throw wrongFormat(`${where} takes a ${rule.parameter} of a ${rule.subType}`);
  const value = textIn(parameter, rule.value, 2000);
  if (rule.isNeeded) checkText(value);
}

function checkButtons(buttons: readonly Fields[], given: readonly Fields[]): void {
  for (const { index } of given) {
    if (!buttons[Number(index)]) throw wrongFormat(`buttons: no button at index ${String(index)}`);
  }
  for (const [index, button] of buttons.entries()) {
    const own = given.filter((one) => Number(one['index']) === index);
    checkButton(index, button, own);
  }
}

function approved(book: TemplateBook, object: Fields): Template {
  const name = textIn(object, 'name', 512);
  const language = textIn(objectIn(object, 'language'), 'code', 16);
  const template = book.find(name, language);
  if (template?.status === 'PAUSED') throw new GraphError(132_015);
  if (template?.status === 'DISABLED') throw new GraphError(132_016);
  if (template?.status === 'APPROVED') return template;
  throw new GraphError(132_001, {
    details: `template name (${name}) does not exist in ${language}`,
  });
}

/**
 * Checks a template message's object against its template.
 * @returns the template, and the code that the message fails with later.
 * @throws GraphError 132001 if it is unknown or not approved, 132015 paused, 132016 disabled, 132000 for another number
 * of parameters, 132012 for another format, 131008 for a button without its value.
 */
export function checkTemplate(
  book: TemplateBook,
  object: Fields,
  checkMedia: CheckMedia,
): { template: Template; failure: number | undefined } {
  const template = approved(book, object);
  const given = object['components'] === undefined ? [] : listIn(object, 'components');
  const ofType = (components: readonly Fields[], type: string) =>
    components.filter((one) => wordOf(one, 'type', '') === type);
  const [header] = ofType(template.components, 'header');
  const [body] = ofType(template.components, 'body');
  const [buttons] = ofType(template.components, 'buttons');
  const failure = checkHeader(header, ofType(given, 'header').flatMap(parametersIn), checkMedia);
  checkTexts('body', variablesOf(body?.['text']), ofType(given, 'body').flatMap(parametersIn));
  checkButtons(buttons ? listIn(buttons, 'buttons') : [], ofType(given, 'button'));
  return { template, failure };
}
