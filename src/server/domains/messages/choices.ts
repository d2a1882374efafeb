import { publicId } from '#contract/base/ids.ts';
import { type Choice, Choices, type SelectedOption } from '#contract/messages/captions.ts';
import { TEMPLATE_LIMITS } from '#contract/messages/templates.ts';
import type { Fragment, Tx } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';

/** What a receiver may choose from, and the id of the message (a UUID) that says so. */
export type Question = { messageId: string; choices: Choices };

/** The longest title there is, in UTF-16 units: each of its characters may have two. */
const TITLE_UNITS_MAX = 2 * TEMPLATE_LIMITS.button;

/** Whether a text is so short that it may be a number or a title: only for such ones is anything looked up. */
export const mayChoose = (text: string): boolean => text.trim().length <= TITLE_UNITS_MAX;

/**
 * What a message lets its receiver choose from: its choices, or the buttons of its template; undefined
 * where there is nothing to choose.
 */
export function choicesIn(type: string, body: object): Choices | undefined {
  const { choices, buttons } = body as { choices?: unknown; buttons?: unknown };
  if (choices !== undefined && choices !== null) {
    const read = Choices().safeParse(choices);
    return read.success ? read.data : undefined;
  }
  if (type !== 'template' || !Array.isArray(buttons) || buttons.length === 0) return undefined;
  const titles = buttons.map(String);
  return { type: 'template', options: titles.map((title) => ({ id: title, title })) };
}

/**
 * What a text chooses: an option by its number (`2`, `2.`), or by its title, whatever the case. Undefined for
 * anything else, also for a text that fits several options.
 */
function chosenBy(text: string, options: readonly Choice[]): Choice | undefined {
  const said = folded(text);
  const number = Number(/^([1-9]\d?)\.?$/.exec(said)?.[1]);
  const fitting = options.filter(
    ({ title }, index) => index + 1 === number || folded(title) === said,
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** One way of writing a text for all that a reader takes for the same. */
const folded = (text: string): string => text.trim().normalize('NFC').toLowerCase();

/** What a text chooses from a question, as it is stored with the text (`content.choice`). */
export function choiceBy(text: string, question: Question | undefined): SelectedOption | undefined {
  const chosen = question && chosenBy(text, question.choices.options);
  if (!chosen) return undefined;
  return { ...chosen, type: question.choices.type, of: publicId('message', question.messageId) };
}

type Row = { id: string; type: string; choices: unknown; buttons: unknown };

/** What `openQuestion` finds. */
export type FoundQuestion = { question?: Row | null };

/**
 * A column `question` for a statement that stores a text: what the newest message to its sender lets them
 * choose from (`open_question`). Within the same statement it costs no round trip, and next to nothing for a
 * token that never let anybody choose.
 */
export const openQuestion = (
  tx: Tx,
  { accountId, tokenId, from }: { accountId: string; tokenId: string; from: string },
): Fragment => tx`,
  case when exists (
    select from lanes where account_id = ${accountId} and token_id = ${tokenId} and has_choices
  ) then open_question(${accountId}, ${tokenId}, ${from}) end as question`;

/**
 * Remembers that a token lets its receivers choose, before it does so: until then answers to it are looked at
 * no further. Locks the token's lane, the first time.
 */
export async function noteChoices(
  tx: Tx,
  { accountId, tokenId }: { accountId: string; tokenId: string },
): Promise<void> {
  await tx`
    insert into lanes (account_id, token_id, has_choices)
    select ${accountId}::uuid, ${tokenId}::uuid, true
    where not exists (
      select from lanes where account_id = ${accountId} and token_id = ${tokenId} and has_choices
    )
    on conflict (account_id, token_id) do update set has_choices = true`;
}

/** The question that a statement has found. */
export function questionIn({ question }: FoundQuestion): Question | undefined {
  const choices = question && choicesIn(question.type, question);
  return choices ? { messageId: question.id, choices } : undefined;
}

/** Stores what a message that came in has chosen. */
export async function storeChoice(
  tx: Tx,
  { accountId, messageId }: { accountId: string; messageId: string },
  choice: SelectedOption,
): Promise<void> {
  await tx`select attach_choice(${accountId}, ${messageId}, ${json(choice)})`;
}
