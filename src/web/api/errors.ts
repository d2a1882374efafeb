import type { Refusal, RefusalCode } from '#contract/base/refusals.ts';

/** The server said no (`code` 0) in words that the catalogue does not know. */
export class AnswerError extends Error {
  readonly response: unknown;

  constructor(message: string, response: unknown) {
    super(message);
    this.name = 'AnswerError';
    this.response = response;
  }
}

/** No answer that can be read: no network, too late, or not one of ours. */
export class TransportError extends Error {
  readonly kind: 'network' | 'timeout' | 'http';
  /** The HTTP status, when there was an answer at all. */
  readonly status: number | undefined;

  constructor(kind: TransportError['kind'], status?: number) {
    super(`transport: ${kind}${status === undefined ? '' : ` ${status}`}`);
    this.name = 'TransportError';
    this.kind = kind;
    this.status = status;
  }
}

/** What people read of a refusal, set when it arrives. */
type RefusalText = {
  sentence: string;
  /** Sentences by field, for `input_invalid`. */
  fields: Readonly<Record<string, string>>;
  /** Asking again at once would only be answered the same. */
  definite: boolean;
};

// Schemas weigh 11 kB (gzip) and arrive with the first call, after the first paint. What the forms need of a refusal is stored beside it, so that they need not import them.
const refusalTexts = new WeakMap<Error, RefusalText>();

/** Stores the sentences of a refusal. */
export function setRefusalText(refusal: Error, text: RefusalText): void {
  refusalTexts.set(refusal, text);
}

const transportSentences: Record<TransportError['kind'], string> = {
  network: 'Tidak dapat terhubung ke server. Periksa koneksi Anda lalu coba lagi.',
  timeout: 'Server terlalu lama menjawab. Coba lagi.',
  http: 'Terjadi gangguan di sisi kami. Coba lagi sebentar lagi.',
};

/** True when somebody gave up waiting: nothing to tell anyone. */
export const isAbort = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError';

/** What a person reads about an error: what happened, what to do; '' where they gave up waiting. */
export function sentenceOf(error: unknown): string {
  if (isAbort(error)) return '';
  const text = error instanceof Error ? refusalTexts.get(error) : undefined;
  if (text) return text.sentence;
  if (error instanceof TransportError) return transportSentences[error.kind];
  if (error instanceof AnswerError) return error.message;
  return 'Terjadi gangguan. Muat ulang halaman lalu coba lagi.';
}

/** The sentences for the fields of a form that was refused; empty for anything else. */
export const fieldsOf = (error: unknown): Readonly<Record<string, string>> =>
  (error instanceof Error && refusalTexts.get(error)?.fields) || {};

/** Which refusal of the catalogue it is; `undefined` for anything else. */
export const refusalCode = (error: unknown): RefusalCode | undefined =>
  error instanceof Error && refusalTexts.has(error) ? (error as Refusal).code : undefined;

/** Nobody has answered the question itself: no network, too late, or a server in trouble. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof TransportError || (refusalCode(error) !== undefined && !isDefinite(error));

/** A definite no: asking again at once would only be answered the same. */
export const isDefinite = (error: unknown): boolean =>
  error instanceof Error && refusalTexts.get(error)?.definite === true;
