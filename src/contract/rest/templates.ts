import * as z from 'zod/mini';
import { type Output, schema } from '#contract/base/schema.ts';
import {
  TEMPLATE_LIMITS,
  Template,
  TemplateCategory,
  templateLanguage,
  templateName,
  variablesOf,
} from '#contract/messages/templates.ts';
import { bodyRefused, endpoint } from './endpoint.ts';
import { noted } from './notes.ts';

const TemplateList = schema(() => z.object({ data: z.array(Template()) }));

const TemplateLanguage = schema(() =>
  noted(z.string().check(z.regex(templateLanguage)), {
    expected: {
      id: 'kode bahasa, misalnya "id" atau "en_US"',
      en: 'a code of a language, such as "id" or "en_US"',
    },
    example: 'id',
  }),
);

const line = (max: number) => z.string().check(z.minLength(1), z.maxLength(max));

/** A template as it is handed in. */
export const NewTemplate = schema(() =>
  z.strictObject({
    name: noted(z.string().check(z.regex(templateName)), {
      expected: {
        id: 'nama 1–100 karakter: huruf kecil, angka, atau _',
        en: 'a name of 1 to 100 characters: small letters, digits or _',
      },
      example: 'pesanan_siap',
    }),
    language: z.optional(TemplateLanguage()),
    category: z.optional(TemplateCategory()),
    header: z.optional(line(TEMPLATE_LIMITS.header)),
    body: noted(
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
      noted(z.array(line(TEMPLATE_LIMITS.button)).check(z.maxLength(TEMPLATE_LIMITS.buttons)), {
        expected: {
          id: `daftar paling banyak ${TEMPLATE_LIMITS.buttons} teks`,
          en: `a list of up to ${TEMPLATE_LIMITS.buttons} strings`,
        },
      }),
    ),
  }),
);
export type NewTemplate = Output<typeof NewTemplate>;

const LanguageQuery = schema(() => z.strictObject({ language: z.optional(TemplateLanguage()) }));

/** The templates of an account: all of its tokens send them. */
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
