import * as z from 'zod/mini';
import { schema } from '#contract/base/schema.ts';
import { CHOICE_LIMITS, type Choices } from '#contract/messages/captions.ts';
import { noted } from '#contract/rest/endpoint.ts';
import { at, given, listAt, textAt } from '#server/infra/net/json-values.ts';

/** What an interactive message lets its receiver choose, not yet looked at, and where the caller wrote it. */
export type DraftChoices = {
  type: 'button' | 'list';
  options: readonly unknown[];
  /** By which names the caller knows the fields. */
  places: Readonly<Record<string, string>>;
};

/** The buttons of an action. */
export function buttonsIn(action: unknown): DraftChoices {
  const replies = listAt(action, 'buttons').map((button) => at(button, 'reply'));
  const options = replies.map((reply) => optionIn(reply, []));
  const places = options.map((_, n): [string, string] => [
    `options.${n}`,
    `interactive.action.buttons.${n}.reply`,
  ]);
  return { type: 'button', options, places: placesOf(places, 'buttons') };
}

/** The rows of all sections of an action, numbered through. */
export function rowsIn(action: unknown): DraftChoices {
  const rows = listAt(action, 'sections').flatMap((section, s) =>
    listAt(section, 'rows').map((row, r) => ({ row, place: `sections.${s}.rows.${r}` })),
  );
  const options = rows.map(({ row }) => optionIn(row, ['description']));
  const places = rows.map(({ place }, n): [string, string] => [
    `options.${n}`,
    `interactive.action.${place}`,
  ]);
  return { type: 'list', options, places: placesOf(places, 'sections') };
}

const placesOf = (places: readonly [string, string][], all: string) => ({
  options: `interactive.action.${all}`,
  ...Object.fromEntries(places),
});

const optionIn = (option: unknown, more: readonly string[]): object =>
  given({
    id: at(option, 'id'),
    title: at(option, 'title'),
    ...Object.fromEntries(more.map((name) => [name, textAt(option, name)])),
  });

/** A text of so many characters, whatever they take in UTF-16. */
const isWithin = (text: string, charactersMax: number): boolean =>
  text !== '' && text.length <= 2 * charactersMax && [...text].length <= charactersMax;

const Payload = (charactersMax: number) =>
  noted(z.string().check(z.refine((id) => isWithin(id, charactersMax))), {
    expected: {
      id: `teks 1 sampai ${charactersMax} karakter`,
      en: `a string of 1 to ${charactersMax} characters`,
    },
  });

/** What is shown of an option: one line, or one option could pass for two. */
const Line = (charactersMax: number) =>
  noted(
    z.string().check(z.refine((line) => isWithin(line, charactersMax) && isOneLine.test(line))),
    {
      expected: {
        id: `satu baris teks, 1 sampai ${charactersMax} karakter`,
        en: `one line of text, 1 to ${charactersMax} characters`,
      },
    },
  );

const isOneLine = /^[^\p{Cc}\u2028\u2029]*[^\p{Cc}\u2028\u2029\s][^\p{Cc}\u2028\u2029]*$/u;

const hasUniqueIds = (options: readonly { id: string }[]): boolean =>
  new Set(options.map(({ id }) => id)).size === options.length;

const Buttons = schema(() =>
  z.object({
    options: noted(
      z
        .array(
          z.object({
            id: Payload(CHOICE_LIMITS.buttonId),
            title: Line(CHOICE_LIMITS.buttonTitle),
          }),
        )
        .check(z.maxLength(CHOICE_LIMITS.buttons), z.refine(hasUniqueIds)),
      {
        expected: {
          id: `1 sampai ${CHOICE_LIMITS.buttons} tombol dengan id yang berlainan`,
          en: `1 to ${CHOICE_LIMITS.buttons} buttons with ids of their own`,
        },
      },
    ),
  }),
);

const Rows = schema(() =>
  z.object({
    options: noted(
      z
        .array(
          z.object({
            id: Payload(CHOICE_LIMITS.rowId),
            title: Line(CHOICE_LIMITS.rowTitle),
            description: z.optional(Line(CHOICE_LIMITS.rowDescription)),
          }),
        )
        .check(z.maxLength(CHOICE_LIMITS.rows), z.refine(hasUniqueIds)),
      {
        expected: {
          id: `paling banyak ${CHOICE_LIMITS.rows} baris di semua bagian, dengan id yang berlainan`,
          en: `at most ${CHOICE_LIMITS.rows} rows in all sections, with ids of their own`,
        },
      },
    ),
  }),
);

/** By which rules choices of a type are read. */
export const choiceSchemas = { button: Buttons, list: Rows } as const satisfies Record<
  Exclude<Choices['type'], 'template'>,
  unknown
>;

/** What the buttons of a template carry, by their place; undefined where none carries anything. */
export const Payloads = schema(() => z.array(z.optional(Payload(CHOICE_LIMITS.payload))));
