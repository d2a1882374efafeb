import * as z from 'zod/mini';

const none = () => z.object({});

/** What is refused because of what a message names: part of the catalogue (`base/refusals.ts`). */
export const namingRefusals = {
  pins_full: { status: 409, facts: () => z.object({ limit: z.int() }) },
  quoted_not_found: { status: 422, facts: none },
  reaction_refused: { status: 409, facts: none },
  media_not_found: { status: 422, facts: none },
  media_unfit: {
    status: 422,
    facts: () => z.object({ type: z.string(), allowed: z.string(), bytesMax: z.int() }),
  },
  template_not_found: { status: 404, facts: () => z.object({ name: z.string() }) },
  template_language_needed: {
    status: 422,
    facts: () => z.object({ name: z.string(), languages: z.string() }),
  },
  template_exists: {
    status: 409,
    facts: () => z.object({ name: z.string(), language: z.string() }),
  },
  templates_full: { status: 409, facts: () => z.object({ limit: z.int() }) },
  template_not_approved: { status: 409, facts: () => z.object({ name: z.string() }) },
  template_variables_unfit: {
    status: 422,
    facts: () => z.object({ name: z.string(), expected: z.int(), given: z.int() }),
  },
  /** By the Cloud API: Meta refuses the value of this variable. */
  template_value_unfit: {
    status: 422,
    facts: () =>
      z.object({
        name: z.string(),
        variable: z.string(),
        why: z.enum(['breaks', 'blanks', 'empty']),
      }),
  },
  template_parts_unfit: {
    status: 422,
    facts: () =>
      z.object({
        name: z.string(),
        /** What its header takes; null where it takes nothing. */
        header: z.nullable(z.enum(['image', 'video', 'document', 'text'])),
        /** The places of the buttons that take something. */
        buttons: z.array(z.int()),
      }),
  },
} as const;
