import type { Act, OutputOf, Paging } from '#contract/base/act.ts';
import { Refusal, type FactsOf, type RefusalCode } from '#contract/base/refusals.ts';
import { AnswerError, setRefusalText, TransportError } from '#web/api/errors.ts';
import { readPage, type ListAnswer } from '#web/api/listPages.ts';
import { replyMessage } from '#web/api/replyMessage.ts';

export type AnswerOf<A extends Act> = A['list'] extends Paging
  ? ListAnswer<OutputOf<A>>
  : OutputOf<A>;

type UnknownRecord = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is UnknownRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const bag = (value: unknown): UnknownRecord => (isRecord(value) ? value : {});

/**
 * Reads the server's reply: a null body is the Error 'Error'; `code` 0 (or '0') rejects with `result.msg`, else `msg`,
 * else `response`. The body is checked before the status. A text where a list is expected is an error.
 *
 * @throws Refusal, AnswerError, TransportError, Error
 */
export function readAnswer<A extends Act>(act: A, body: unknown, status: number): AnswerOf<A> {
  if (body === null) throw new Error('Error');
  const reply = bag(body);
  if (isRecord(body) && String(reply['code']) === '0') throw refusedBy(reply);
  if (status >= 400) throw new TransportError('http', status);
  if (act.list !== undefined) {
    if (typeof body === 'string') throw new TransportError('http', status);
    return listOf(act, act.list, body) as AnswerOf<A>;
  }
  if (!isRecord(body)) throw new AnswerError(typeof body === 'string' ? body : 'Error', body);
  const data = 'data' in reply ? reply['data'] : reply['result'];
  return act.output.parse(data) as AnswerOf<A>;
}

function refusedBy(reply: UnknownRecord): Error {
  const message = replyMessage(reply);
  const { type, facts, retryable } = bag(reply['error']);
  if (typeof type !== 'string' || !isRecord(facts))
    return new AnswerError(message ?? 'Error', reply);
  // The web app does not load the catalogue: the reply carries everything needed about the refusal.
  const refusal = new Refusal(type as RefusalCode, facts as FactsOf<RefusalCode>);
  return describeRefusal(refusal, message, retryable === true);
}

export function describeRefusal(refusal: Refusal, message?: string, retryable = false): Refusal {
  setRefusalText(refusal, {
    sentence: message ?? 'Permintaan ditolak. Muat ulang halaman lalu coba lagi.',
    fields: 'fields' in refusal.facts ? refusal.facts.fields : {},
    definite: !retryable,
  });
  return refusal;
}

function listOf<A extends Act>(act: A, paging: Paging, body: unknown): ListAnswer<OutputOf<A>> {
  const page = readPage(paging, body);
  return { ...page, rows: page.rows.map((row) => act.output.parse(row) as OutputOf<A>) };
}
