import * as z from 'zod/mini';
import { Id } from '#contract/base/ids.ts';
import { type Output, schema } from '#contract/base/schema.ts';

/** What a message may let its receiver choose from: as many, and as long, as the WhatsApp Cloud API takes. */
export const CHOICE_LIMITS = {
  buttons: 3,
  buttonId: 256,
  buttonTitle: 20,
  rows: 10,
  rowId: 200,
  rowTitle: 24,
  rowDescription: 72,
  /** The text that a template's button carries. */
  payload: 256,
} as const;

/** How choices were shown: as buttons, as the rows of a list, or as the buttons of a template. */
export const ChoiceType = schema(() => z.enum(['button', 'list', 'template']));
export type ChoiceType = Output<typeof ChoiceType>;

/** What a receiver may choose. */
const Choice = schema(() =>
  z.object({ id: z.string(), title: z.string(), description: z.optional(z.string()) }),
);
export type Choice = Output<typeof Choice>;

/** What a message lets its receiver choose from: the `content.choices` of one that was sent. */
export const Choices = schema(() => z.object({ type: ChoiceType(), options: z.array(Choice()) }));
export type Choices = Output<typeof Choices>;

/** How its sender wrote a message that lets its receiver choose, for networks that show buttons and lists by themselves. */
export type ShownChoices = {
  header?: string | undefined;
  body: string;
  footer?: string | undefined;
  /** What opens a list. */
  button?: string | undefined;
  /** The sections of a list, with how many of its rows each has. */
  sections?: readonly { title?: string | undefined; rows: number }[] | undefined;
};

/** What a message that came in has chosen: its `content.choice`. */
export const ChosenOption = schema(() =>
  z.extend(Choice(), {
    type: ChoiceType(),
    /** The message that it was chosen from. */
    of: Id('message'),
  }),
);
export type ChosenOption = Output<typeof ChosenOption>;

/** What a message says, by its type; what its receiver may choose, or what was chosen, beside (docs/api.md#choices). */
export const ApiContent = schema(() =>
  z.looseObject({ choices: z.optional(Choices()), choice: z.optional(ChosenOption()) }),
);
