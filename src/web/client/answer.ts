import type { Act, OutputOf, Paging } from '#contract/act.ts';
import { PAGE_SIZE } from '#contract/act.ts';
import { refusalFrom, refusals, sentenceFor, type Refusal } from '#contract/refusals.ts';
import { AnswerError, tell, TransportError } from '#web/client/errors.ts';

/** A page of a list, whatever paging it came in. */
export type ListAnswer<Row> = {
  rows: readonly Row[];
  /** `undefined` for `manual`, which does not say. */
  totalPages: number | undefined;
  /** `manual`: how far this page moves the offset. */
  count: number;
};

export type AnswerOf<A extends Act> = A['list'] extends Paging
  ? ListAnswer<OutputOf<A>>
  : OutputOf<A>;

type Bag = Readonly<Record<string, unknown>>;
const isBag = (value: unknown): value is Bag =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const bag = (value: unknown): Bag => (isBag(value) ? value : {});
const count = (value: unknown): number => {
  const number = Number(value);
  return Number.isFinite(number) && number > 0 ? Math.floor(number) : 0;
};

/**
 * What the server's reply means, as specified: a null body is the Error 'Error'; `code` 0 (or '0')
 * rejects with `result.msg`, else `msg`, else the response; for a list a text is an empty list.
 * The body is looked at before the status.
 *
 * @throws Refusal, AnswerError, TransportError, Error
 */
export function readAnswer<A extends Act>(act: A, body: unknown, status: number): AnswerOf<A> {
  if (body === null) throw new Error('Error');
  const reply = bag(body);
  if (isBag(body) && String(reply['code']) === '0') throw refusedBy(reply);
  if (status >= 400) throw new TransportError('http', status);
  if (act.list !== undefined) return listOf(act, act.list, body) as AnswerOf<A>;
  if (!isBag(body)) throw new AnswerError(typeof body === 'string' ? body : 'Error', body);
  const data = 'data' in reply ? reply['data'] : reply['result'];
  return act.output.parse(data) as AnswerOf<A>;
}

function refusedBy(reply: Bag): Error {
  const known = refusalFrom(reply['error']);
  if (known) return toldAbout(known, reply['msg']);
  const message = bag(reply['result'])['msg'] ?? reply['msg'];
  return new AnswerError(typeof message === 'string' ? message : 'Error', reply);
}

/** The refusal, with what forms need to know of it kept beside it. */
export function toldAbout(refusal: Refusal, said?: unknown): Refusal {
  tell(refusal, {
    sentence: typeof said === 'string' && said !== '' ? said : sentenceFor(refusal),
    fields: 'fields' in refusal.facts ? refusal.facts.fields : {},
    definite: !('retryable' in refusals[refusal.code]),
  });
  return refusal;
}

function listOf<A extends Act>(act: A, paging: Paging, body: unknown): ListAnswer<OutputOf<A>> {
  const reply = bag(body);
  const result = bag(reply['result']);
  const raw = paging === 'manual' ? reply['data'] : result['data'];
  const rows = Array.isArray(raw) ? raw.map((row) => act.output.parse(row) as OutputOf<A>) : [];
  if (paging === 'manual') {
    const moved = 'count' in reply ? count(reply['count']) : rows.length;
    return { rows, totalPages: isBag(body) ? undefined : 0, count: moved };
  }
  const totalPages =
    paging === 'default'
      ? count(result['total_page'])
      : Math.ceil(count(result['total']) / PAGE_SIZE);
  return { rows, totalPages, count: rows.length };
}
