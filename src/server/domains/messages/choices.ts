import { publicId } from '#contract/base/ids.ts';
import { type Choice, Choices, type SelectedOption } from '#contract/messages/captions.ts';
import { TEMPLATE_LIMITS } from '#contract/messages/templates.ts';
import type { Fragment, Tx } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';

export type Question = { messageId: string; choices: Choices };

/** Length of the longest title in UTF-16 units: each character may take two. */
const TITLE_UNITS_MAX = 2 * TEMPLATE_LIMITS.button;

/** Whether a text is short enough to be a number or a title; longer ones skip the lookup. */
export const canBeChoice = (text: string): boolean => text.trim().length <= TITLE_UNITS_MAX;

/**
 * The choices that a message offers: its own, or the buttons of its template; undefined without any.
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
 * The option that a text names by number (`2`, `2.`) or by title, ignoring case. Undefined otherwise, also for a text
 * that matches several options.
 */
function matchOption(text: string, options: readonly Choice[]): Choice | undefined {
  const normalized = normalizeTitle(text);
  const number = Number(/^([1-9]\d?)\.?$/.exec(normalized)?.[1]);
  const fitting = options.filter(
    ({ title }, index) => index + 1 === number || normalizeTitle(title) === normalized,
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}

const normalizeTitle = (text: string): string => text.trim().normalize('NFC').toLowerCase();

/** The option that a text chooses, as stored with the text (`content.choice`). */
export function matchChoice(
  text: string,
  question: Question | undefined,
): SelectedOption | undefined {
  const option = question && matchOption(text, question.choices.options);
  if (!option) return undefined;
  return { ...option, type: question.choices.type, of: publicId('message', question.messageId) };
}

type Row = { id: string; type: string; choices: unknown; buttons: unknown };

export type FoundQuestion = { question?: Row | null };

/**
 * A column `question` for a statement that stores a text: the choices of the newest message to its sender
 * (`find_open_question`). Within the same statement it needs no round trip, and costs almost nothing for a token that
 * never sent choices.
 */
export const openQuestion = (
  tx: Tx,
  { accountId, tokenId, from }: { accountId: string; tokenId: string; from: string },
): Fragment => tx`,
  case when exists (
    select from lanes where account_id = ${accountId} and token_id = ${tokenId} and has_choices
  ) then find_open_question(${accountId}, ${tokenId}, ${from}) end as question`;

/**
 * Records that a token sends choices, before it does so: until then answers to it skip the lookup. Locks the token's
 * lane, the first time.
 */
export async function markSendsChoices(
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

export function questionIn({ question }: FoundQuestion): Question | undefined {
  const choices = question && choicesIn(question.type, question);
  return choices ? { messageId: question.id, choices } : undefined;
}

export async function storeChoice(
  tx: Tx,
  { accountId, messageId }: { accountId: string; messageId: string },
  choice: SelectedOption,
): Promise<void> {
  await tx`select attach_choice(${accountId}, ${messageId}, ${json(choice)})`;
}
