import type { Answer } from './errors.ts';
import { GraphError, unknownObject } from './errors.ts';
import { type Fields, isFields, listIn, missing, objectIn, textIn } from './messages/fields.ts';

export type TemplateStatus =
  | 'APPROVED'
  | 'PENDING'
  | 'REJECTED'
  | 'PAUSED'
  | 'DISABLED'
  | 'IN_APPEAL'
  | 'PENDING_DELETION';

export type Template = {
  id: string;
  name: string;
  language: string;
  status: TemplateStatus;
  category: string;
  components: readonly Fields[];
};

export type NewTemplate = Pick<Template, 'name'> & Partial<Template> & { body?: string };

export type TemplateBook = {
  list(): readonly Template[];
  find(name: string, language: string): Template | undefined;
  /** Puts one there, approved unless it says otherwise; `body` is short for its one component. */
  add(template: NewTemplate): Template;
  remove(match: (template: Template) => boolean): number;
};

/** The message templates of the account; at first `hello_world` in `en_US`, as Meta has it. */
export function openTemplates(newId: () => string): TemplateBook {
  const all: Template[] = [];
  const book: TemplateBook = {
    list: () => all,
    find: (name, language) => all.find((one) => one.name === name && one.language === language),
    add: ({ body = 'Halo', ...template }) => {
      const whole: Template = {
        id: newId(),
        language: 'id',
        status: 'APPROVED',
        category: 'UTILITY',
        components: [{ type: 'BODY', text: body }],
        ...template,
      };
      all.push(whole);
      return whole;
    },
    remove: (match) => {
      const staying = all.filter((one) => !match(one));
      return all.splice(0, all.length, ...staying).length - staying.length;
    },
  };
  book.add({ name: 'hello_world', language: 'en_US', body: 'Welcome and congratulations!!' });
  return book;
}

/** The names in `{{1}}` or `{{nama}}` of a text, each once. */
const variablesOf = (text: unknown): readonly string[] =>
  typeof text === 'string'
    ? [...new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name]) => name ?? ''))]
    : [];

/** A word of an object, in lower case. */
function wordOf(fields: Fields | undefined, name: string, otherwise: string): string {
  const value = fields?.[name];
  return typeof value === 'string' ? value.toLowerCase() : otherwise;
}

const typeOf = (component: Fields) => wordOf(component, 'type', '').toUpperCase();

function checkCount(where: string, variables: readonly string[], given: readonly Fields[]): void {
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
}

const wrongFormat = (details: string) => new GraphError(132_012, { details });

function checkHeader(header: Fields | undefined, given: readonly Fields[]): void {
  const format = wordOf(header, 'format', 'text');
  if (!header || format === 'text') {
    checkCount('header', variablesOf(header?.['text']), given);
    return;
  }
  const [parameter] = given;
  const got = wordOf(parameter, 'type', 'nothing');
  if (got !== format) {
    throw wrongFormat(`header: Format mismatch, expected ${format.toUpperCase()}, received ${got}`);
  }
}

function checkButtons(buttons: readonly Fields[], given: readonly Fields[]): void {
  for (const component of given) {
    const button = buttons[Number(component['index'])];
    if (!button) throw wrongFormat(`buttons: no button at index ${String(component['index'])}`);
  }
  for (const [index, button] of buttons.entries()) {
    if (variablesOf(button['url']).length === 0) continue;
    const component = given.find((one) => Number(one['index']) === index);
    if (!component || listIn(component, 'parameters').length !== 1) {
      throw missing(`buttons: Button at index ${index} of type Url requires a parameter`);
    }
  }
}

/**
 * The object of a template message, against the template that it names.
 *
 * @returns the template.
 * @throws GraphError 132001 when it is unknown or not approved, 132015 paused, 132016 disabled, 132000 for
 * another number of parameters, 132012 for another format.
 */
export function checkTemplate(book: TemplateBook, object: Fields): Template {
  const name = textIn(object, 'name', 512);
  const language = textIn(objectIn(object, 'language'), 'code', 16);
  const template = book.find(name, language);
  if (template?.status === 'PAUSED') throw new GraphError(132_015);
  if (template?.status === 'DISABLED') throw new GraphError(132_016);
  if (template?.status !== 'APPROVED') {
    throw new GraphError(132_001, {
      details: `template name (${name}) does not exist in ${language}`,
    });
  }
  const given = object['components'] === undefined ? [] : listIn(object, 'components');
  const parametersOf = (type: string) =>
    given
      .filter((one) => typeOf(one) === type)
      .flatMap((one) => (one['parameters'] === undefined ? [] : listIn(one, 'parameters')));
  const part = (type: string) => template.components.find((one) => typeOf(one) === type);
  checkHeader(part('HEADER'), parametersOf('HEADER'));
  checkCount('body', variablesOf(part('BODY')?.['text']), parametersOf('BODY'));
  const buttons = part('BUTTONS');
  checkButtons(
    buttons ? listIn(buttons, 'buttons') : [],
    given.filter((one) => typeOf(one) === 'BUTTON'),
  );
  return template;
}

const cursor = (at: number) => Buffer.from(String(at)).toString('base64url');
const positionOf = (text: string | null, otherwise: number) => {
  const at = text === null ? Number.NaN : Number(Buffer.from(text, 'base64url').toString());
  return Number.isInteger(at) ? at : otherwise;
};

/**
 * A page of a list, as the Graph API cuts it: `limit`, `after` and `before` of the query.
 *
 * @param address of the list, for the links to the next and the previous page.
 */
export function pageOf(list: readonly unknown[], query: URLSearchParams, address: string): Answer {
  const limit = Math.max(1, Number(query.get('limit') ?? 25) || 25);
  const before = positionOf(query.get('before'), -1);
  const start = before >= 0 ? Math.max(0, before - limit) : positionOf(query.get('after'), 0);
  const data = list.slice(start, start + limit);
  const end = start + data.length;
  const link = (name: string, at: number) => `${address}?limit=${limit}&${name}=${cursor(at)}`;
  const paging = {
    cursors: { before: cursor(start), after: cursor(end) },
    ...(end < list.length && { next: link('after', end) }),
    ...(start > 0 && { previous: link('before', start) }),
  };
  return { status: 200, body: { data, ...(data.length > 0 && { paging }) } };
}

/** GET /{waba}/message_templates, by `name`, `status`, `category` and `language` when they are given. */
export function listTemplates(book: TemplateBook, query: URLSearchParams, address: string): Answer {
  const names = ['name', 'status', 'category', 'language'] as const;
  const found = book
    .list()
    .filter((one) => names.every((name) => (query.get(name) ?? one[name]) === one[name]));
  return pageOf(found, query, address);
}

/** What Meta writes of a template of codes itself: its words, and a button that copies the code. */
export const codeComponents: readonly Fields[] = [
  { type: 'BODY', text: '*{{1}}* adalah kode verifikasi Anda.', add_security_recommendation: true },
  {
    type: 'BUTTONS',
    buttons: [
      {
        type: 'URL',
        text: 'Salin kode',
        url: 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}',
      },
    ],
  },
];

/** The components of a new template. @throws GraphError of words where Meta writes them itself */
function componentsIn(body: Fields, category: string): readonly Fields[] {
  const components = listIn(body, 'components');
  const text = components.find((one) => typeOf(one) === 'BODY');
  if (!text) throw missing('components: BODY');
  if (category !== 'AUTHENTICATION') return components;
  if (text['text'] !== undefined) {
    throw new GraphError(100, { details: 'Authentication templates take no text of their own' });
  }
  return codeComponents;
}

/** POST /{waba}/message_templates: pending from then on. */
export function createTemplate(book: TemplateBook, body: Fields): Answer {
  const name = textIn(body, 'name', 512);
  const language = textIn(body, 'language', 16);
  const category = textIn(body, 'category', 32).toUpperCase();
  if (!/^[a-z0-9_]+$/.test(name)) throw new GraphError(100, { details: 'Invalid template name' });
  if (!['MARKETING', 'UTILITY', 'AUTHENTICATION'].includes(category)) {
    throw new GraphError(100, { details: 'Param category is not valid.' });
  }
  const components = componentsIn(body, category);
  if (book.find(name, language)) {
    throw new GraphError(100, {
      subcode: 2_388_024,
      details: 'Content in this language already exists',
    });
  }
  const { id } = book.add({ name, language, category, status: 'PENDING', components });
  return { status: 200, body: { id, status: 'PENDING', category } };
}

/** POST /{template-id}: other components or another category; pending again. */
export function editTemplate(template: Template, body: Fields): Answer {
  if (Array.isArray(body['components'])) {
    template.components = body['components'].filter((one) => isFields(one));
  }
  if (typeof body['category'] === 'string') template.category = body['category'];
  template.status = 'PENDING';
  return { status: 200, body: { success: true } };
}

/** DELETE /{waba}/message_templates: every language of a name, or the one of `hsm_id`. */
export function deleteTemplates(book: TemplateBook, query: URLSearchParams): Answer {
  const name = query.get('name');
  const id = query.get('hsm_id');
  if (name === null) throw new GraphError(100, { message: 'The parameter name is required.' });
  const count = book.remove((one) => one.name === name && (id === null || one.id === id));
  if (count === 0) throw unknownObject(name, 'delete');
  return { status: 200, body: { success: true } };
}
