import type { Answer } from './errors.ts';
import { GraphError, unknownObject } from './errors.ts';
import { type Fields, isFields, listIn, missing, textIn } from './messages/fields.ts';

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
  /** Adds a template, approved by default; `body` is short for its one component. */
  add(template: NewTemplate): Template;
  remove(match: (template: Template) => boolean): number;
};

/** The account's message templates; initially `hello_world` in `en_US`, as at Meta. */
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

const typeOf = ({ type }: Fields): string => (typeof type === 'string' ? type.toUpperCase() : '');

const cursor = (at: number) => Buffer.from(String(at)).toString('base64url');
const positionOf = (text: string | null, otherwise: number) => {
  const at = text === null ? Number.NaN : Number(Buffer.from(text, 'base64url').toString());
  return Number.isInteger(at) ? at : otherwise;
};

/**
 * A page of a list, cut as the Graph API does by `limit`, `after` and `before` of the query.
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

/** GET /{waba}/message_templates, filtered by `name`, `status`, `category` and `language`. */
export function listTemplates(book: TemplateBook, query: URLSearchParams, address: string): Answer {
  const names = ['name', 'status', 'category', 'language'] as const;
  const found = book
    .list()
    .filter((one) => names.every((name) => (query.get(name) ?? one[name]) === one[name]));
  return pageOf(found, query, address);
}

/** The parts of a code template that Meta writes: its text, and a button that copies the code. */
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

/** A new template's components. @throws GraphError for texts that Meta writes itself */
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
