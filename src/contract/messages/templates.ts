import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { IdInput } from '#contract/base/ids.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { bodyRefused, endpoint, withNote } from '#contract/rest/endpoint.ts';

export const TEMPLATE_LIMITS = {
  /** Per account, each language counted. */
  all: 250,
  name: 100,
  body: 1024,
  header: 60,
  footer: 60,
  buttons: 10,
  button: 25,
  variables: 30,
  variable: 1024,
  buttonValue: 2000,
  search: 40,
} as const;

export const templateName = /^[a-z0-9_]{1,100}$/;

export const templateLanguage = /^[a-z]{2,3}(_[A-Z]{2})?$/;

/** Only approved templates can be sent. */
export const TemplateStatus = schema(() => z.enum(['approved', 'pending', 'rejected']));
export type TemplateStatus = Output<typeof TemplateStatus>;

export const templateCategories = ['utility', 'marketing', 'authentication'] as const;
export const TemplateCategory = schema(() => z.enum(templateCategories));
export type TemplateCategory = Output<typeof TemplateCategory>;

export const templateFiles = ['image', 'video', 'document'] as const;
export type TemplateFile = (typeof templateFiles)[number];

const valueKinds = ['url', 'code'] as const;

/** A button that every message fills in; `index` is its position among all buttons of the template. */
const ButtonValue = schema(() =>
  z.object({ index: z.int(), title: z.string(), takes: z.enum(valueKinds) }),
);

/** A text with variables that is sent by its name. All tokens of the account can send it. */
export const Template = schema(() =>
  z.object({
    name: z.string(),
    language: z.string(),
    category: TemplateCategory(),
    status: TemplateStatus(),
    reason: z.nullable(z.string()),
    header: z.nullable(z.string()),
    header_file: z.nullable(z.enum(templateFiles)),
    header_variable: z.nullable(z.string()),
    body: z.string(),
    footer: z.nullable(z.string()),
    buttons: z.array(z.string()),
    button_values: z.array(ButtonValue()),
    /** In the order of the body. */
    variables: z.array(z.string()),
    created_at: z.coerce.date(),
  }),
);
export type Template = Output<typeof Template>;

const variable = /\{\{\s*([A-Za-z0-9_]{1,40})\s*\}\}/g;

/** The variables of a text, each once, in order of appearance: `1`, `2`, or words. */
export const variablesOf = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(variable)].map(([, name = '']) => name)),
];

/** The variables of a text in the order of their values: numbered ones go by their number. */
export function valueOrderOf(text: string): readonly string[] {
  const names = variablesOf(text);
  return names.every((name) => /^\d+$/.test(name))
    ? names.toSorted((a, b) => Number(a) - Number(b))
    : names;
}

/** Fills in the variables of a text. @param values one for each of `valueOrderOf(text)`, in that order. */
export function fillTemplate(text: string, values: readonly string[]): string {
  const byName = new Map(valueOrderOf(text).map((name, index) => [name, values[index] ?? '']));
  return text.replace(variable, (_, name: string) => byName.get(name) ?? '');
}

/** Why Meta refuses a value for a template; undefined if it is accepted. */
export function unfitValue(text: string): 'breaks' | 'blanks' | 'empty' | undefined {
  if (!/[^\s\p{Cf}]/u.test(text)) return 'empty';
  if (/[\n\r\t\v\f\u0085\u2028\u2029]/.test(text)) return 'breaks';
  return /[^\S\n\r]{5}/.test(text) ? 'blanks' : undefined;
}

/** Folds each run of blanks, tabs and line breaks into one blank, as values of a template require. */
export const foldBlanks = (text: string): string => text.replaceAll(/[\s\u0085]+/g, ' ').trim();

const TemplateName = schema(() =>
  z
    .string()
    .check(z.regex(templateName, 'Nama 1 sampai 100 karakter: huruf kecil, angka, atau _.')),
);

const TemplateLanguage = schema(() =>
  z.string().check(z.regex(templateLanguage, 'Pilih bahasanya.')),
);

const optionalLine = (what: string, max: number) =>
  z.optional(z.string().check(z.minLength(1), z.maxLength(max, tooLong(what, max))));

const tooLong = (what: string, max: number) => `${what} paling panjang ${max} karakter.`;

const TemplateBody = schema(() =>
  z.string().check(
    z.refine((text) => text.trim() !== '', 'Tulis isi pesannya.'),
    z.maxLength(TEMPLATE_LIMITS.body, tooLong('Isi', TEMPLATE_LIMITS.body)),
    z.refine(
      (text) => variablesOf(text).length <= TEMPLATE_LIMITS.variables,
      `Isi memuat paling banyak ${TEMPLATE_LIMITS.variables} variabel.`,
    ),
  ),
);

const TemplateButtons = schema(() =>
  z.array(z.string()).check(
    z.maxLength(TEMPLATE_LIMITS.buttons, `Paling banyak ${TEMPLATE_LIMITS.buttons} tombol.`),
    z.refine(
      (all) => all.every((one) => one !== '' && one.length <= TEMPLATE_LIMITS.button),
      tooLong('Setiap tombol', TEMPLATE_LIMITS.button),
    ),
    z.refine((all) => new Set(all).size === all.length, 'Dua tombol tidak boleh sama.'),
  ),
);

/** By name, then language, unless sorted; optionally filtered by name, language, status and words. */
export const listTemplates = act({
  name: 'template_list',
  by: 'customer',
  list: 'default',
  input: () => ({
    ...paging(['name', 'created_at']),
    name: z.optional(TemplateName()),
    language: z.optional(TemplateLanguage()),
    status: z.optional(TemplateStatus()),
    token_id: z.optional(IdInput('token')),
    q: z.optional(z.string().check(z.trim(), z.maxLength(TEMPLATE_LIMITS.search))),
  }),
  output: Template,
});

/** Submits a template; the network reviews it before it can be sent. The simulated one approves it at once. */
export const createTemplate = act({
  name: 'template_create',
  by: 'customer',
  changes: true,
  audited: true,
  input: () => ({
    name: TemplateName(),
    language: TemplateLanguage(),
    category: TemplateCategory(),
    header: optionalLine('Judul', TEMPLATE_LIMITS.header),
    body: TemplateBody(),
    footer: optionalLine('Catatan kaki', TEMPLATE_LIMITS.footer),
    buttons: z.optional(TemplateButtons()),
  }),
  output: Template,
  refuses: ['template_exists', 'templates_full', 'cloud_refused', 'cloud_unreachable'],
});

/** Deletes a template in one language. Sent messages keep their text. */
export const deleteTemplate = act({
  name: 'template_delete',
  by: 'customer',
  changes: true,
  audited: true,
  input: () => ({ name: TemplateName(), language: TemplateLanguage() }),
  output: () => z.object({}),
  refuses: ['template_not_found', 'cloud_refused', 'cloud_unreachable'],
});

/** Reloads the templates from the network that reviews them; without one it does nothing. */
export const syncTemplateList = act({
  name: 'template_sync',
  by: 'customer',
  changes: true,
  input: () => ({}),
  output: () => z.object({}),
  refuses: ['cloud_refused', 'cloud_unreachable'],
});

const TemplateList = schema(() => z.object({ data: z.array(Template()) }));

const RestTemplateLanguage = schema(() =>
  withNote(z.string().check(z.regex(templateLanguage)), {
    expected: {
      id: 'kode bahasa, misalnya "id" atau "en_US"',
      en: 'a code of a language, such as "id" or "en_US"',
    },
    example: 'id',
  }),
);

const line = (max: number) => z.string().check(z.minLength(1), z.maxLength(max));

export const NewTemplate = schema(() =>
  z.strictObject({
    name: withNote(z.string().check(z.regex(templateName)), {
      expected: {
        id: 'nama 1–100 karakter: huruf kecil, angka, atau _',
        en: 'a name of 1 to 100 characters: small letters, digits or _',
      },
      example: 'pesanan_siap',
    }),
    language: z.optional(RestTemplateLanguage()),
    category: z.optional(TemplateCategory()),
    header: z.optional(line(TEMPLATE_LIMITS.header)),
    body: withNote(
      line(TEMPLATE_LIMITS.body).check(
        z.refine((text) => variablesOf(text).length <= TEMPLATE_LIMITS.variables),
      ),
      {
        expected: {
          id: `teks 1 sampai 1.024 karakter dengan paling banyak ${TEMPLATE_LIMITS.variables} variabel, misalnya "Halo {{1}}"`,
          en: `a string of 1 to 1,024 characters with at most ${TEMPLATE_LIMITS.variables} variables, such as "Hello {{1}}"`,
        },
      },
    ),
    footer: z.optional(line(TEMPLATE_LIMITS.footer)),
    buttons: z.optional(
      withNote(z.array(line(TEMPLATE_LIMITS.button)).check(z.maxLength(TEMPLATE_LIMITS.buttons)), {
        expected: {
          id: `daftar paling banyak ${TEMPLATE_LIMITS.buttons} teks`,
          en: `a list of up to ${TEMPLATE_LIMITS.buttons} strings`,
        },
      }),
    ),
  }),
);
export type NewTemplate = Output<typeof NewTemplate>;

const LanguageQuery = schema(() =>
  z.strictObject({ language: z.optional(RestTemplateLanguage()) }),
);

export const templateEndpoints = {
  listTemplates: endpoint({
    method: 'GET',
    path: '/v1/templates',
    scope: 'messages.read',
    status: 200,
    summary: { id: 'Daftar templat', en: 'List templates' },
    answer: TemplateList,
    refuses: [],
  }),
  addTemplate: endpoint({
    method: 'POST',
    path: '/v1/templates',
    scope: 'messages.send',
    status: 201,
    summary: { id: 'Ajukan templat', en: 'Hand in a template' },
    body: NewTemplate,
    answer: Template,
    refuses: [...bodyRefused, 'template_exists', 'templates_full'],
  }),
  getTemplate: endpoint({
    method: 'GET',
    path: '/v1/templates/:id',
    scope: 'messages.read',
    status: 200,
    summary: { id: 'Satu templat dalam semua bahasanya', en: 'One template in all its languages' },
    answer: TemplateList,
    refuses: ['template_not_found'],
  }),
  removeTemplate: endpoint({
    method: 'DELETE',
    path: '/v1/templates/:id',
    scope: 'messages.send',
    status: 204,
    summary: { id: 'Hapus templat', en: 'Delete a template' },
    query: LanguageQuery,
    refuses: ['input_invalid', 'template_not_found'],
  }),
} as const;
