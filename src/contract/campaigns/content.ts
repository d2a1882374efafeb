import * as z from 'zod/mini';
import { Id, IdInput } from '#contract/base/ids.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { unstorableIn } from '#contract/base/text.ts';
import { TEXT_MAX } from '#contract/messages.ts';
import { TEMPLATE_LIMITS } from '#contract/messages/templates.ts';
import { CAPTION_MAX } from '#contract/rest/limits.ts';
import { fillVariables, type VariableValues, variablesIn } from './variables.ts';

const Text = () => ({
  type: z.literal('text'),
  text: z.string().check(
    z.refine((text) => text.trim() !== '', 'Tulis isi pesannya.'),
    z.maxLength(TEXT_MAX, `Pesan paling panjang ${TEXT_MAX} karakter.`),
  ),
});

const caption = () =>
  z.optional(
    z
      .string()
      .check(z.maxLength(CAPTION_MAX, `Keterangan paling panjang ${CAPTION_MAX} karakter.`)),
  );

const Location = () => ({
  type: z.literal('location'),
  latitude: z.number('Tulis lintang, misalnya -6.2.').check(z.minimum(-90), z.maximum(90)),
  longitude: z.number('Tulis bujur, misalnya 106.8.').check(z.minimum(-180), z.maximum(180)),
  name: z.optional(z.string().check(z.maxLength(200))),
  address: z.optional(z.string().check(z.maxLength(400))),
});

const Template = () => ({
  type: z.literal('template'),
  name: z.string().check(z.minLength(1, 'Pilih templatnya.'), z.maxLength(TEMPLATE_LIMITS.name)),
  language: z.string().check(z.maxLength(10)),
  /** What fills its body, in the order of `valueOrderOf`; with variables of the list. */
  variables: z
    .array(z.string().check(z.maxLength(TEMPLATE_LIMITS.variable)))
    .check(z.maxLength(TEMPLATE_LIMITS.variables)),
});

/** A value that travels as JSON text; callers of our own give the value itself. */
function parsed(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  try {
    const value: unknown = JSON.parse(given);
    // What the database cannot keep may be written as an escape.
    return unstorableIn(value).length === 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What is sent to each, as the browser writes it; a file is an upload for `media`, or one that the draft has. */
const WrittenContent = schema(() =>
  z.discriminatedUnion(
    'type',
    [
      z.strictObject(Text()),
      z.strictObject({
        type: z.literal('file'),
        upload: z.optional(IdInput('upload')),
        /** The file that the draft has already. */
        keep: z.optional(z.boolean()),
        caption: caption(),
      }),
      z.strictObject(Location()),
      z.strictObject(Template()),
    ],
    'Pilih jenis pesannya.',
  ),
);
export type CampaignContentInput = Output<typeof WrittenContent>;

/** The same as a field of a form. */
export const CampaignContentInput = schema(() =>
  z.pipe(
    z.transform((given: z.input<ReturnType<typeof WrittenContent>>) => parsed(given)),
    WrittenContent(),
  ),
);

/** What is sent to each, as it is stored: with its variables, not filled in. */
export const CampaignContent = schema(() =>
  z.discriminatedUnion('type', [
    z.object(Text()),
    z.object({
      type: z.literal('file'),
      file: z.object({
        id: Id('media'),
        /** As which type of message it goes. */
        as: z.enum(['image', 'video', 'audio', 'document']),
        name: z.string(),
        size: z.int(),
      }),
      caption: caption(),
    }),
    z.object(Location()),
    z.object(Template()),
  ]),
);
export type CampaignContent = Output<typeof CampaignContent>;

/** The texts of a content that may have variables. */
function textsOf(content: CampaignContent): readonly string[] {
  switch (content.type) {
    case 'text':
      return [content.text];
    case 'file':
      return content.caption === undefined ? [] : [content.caption];
    case 'template':
      return content.variables;
    case 'location':
      return [];
  }
}

/** The variables of a content, each once. */
export const contentVariables = (
  content: CampaignContent,
): readonly { key: string; needed: boolean }[] =>
  // What one text begins another does not end.
  variablesIn(textsOf(content).join('\0'));

/** A content for one recipient. */
export function fillContent(content: CampaignContent, values: VariableValues): CampaignContent {
  const fill = (text: string) => fillVariables(text, values);
  switch (content.type) {
    case 'text':
      return { ...content, text: fill(content.text) };
    case 'file':
      return content.caption === undefined
        ? content
        : { ...content, caption: fill(content.caption) };
    case 'template':
      return { ...content, variables: content.variables.map(fill) };
    case 'location':
      return content;
  }
}
