import type { Refusal, RefusalCode } from '#contract/base/refusals.ts';

/** The server refused (`code` 0) with a message but no refusal of the catalogue. */
export class AnswerError extends Error {
  readonly response: unknown;

  constructor(message: string, response: unknown) {
    super(message);
    this.name = 'AnswerError';
    this.response = response;
  }
}

/** No readable answer: no network, a timeout or an unexpected response. */
export class TransportError extends Error {
  readonly kind: 'network' | 'timeout' | 'http';
  readonly status: number | undefined;

  constructor(kind: TransportError['kind'], status?: number) {
    super(`transport: ${kind}${status === undefined ? '' : ` ${status}`}`);
    this.name = 'TransportError';
    this.kind = kind;
    this.status = status;
  }
}

type RefusalText = {
  sentence: string;
  /** Messages by field, for `input_invalid`. */
  fields: Readonly<Record<string, string>>;
  definite: boolean;
};

// Schemas weigh 11 kB (gzip) and load with the first call, after the first paint. Forms must not import them, so the
// texts of a refusal are stored beside it.
const refusalTexts = new WeakMap<Error, RefusalText>();

export function setRefusalText(refusal: Error, text: RefusalText): void {
  refusalTexts.set(refusal, text);
}

const transportSentences: Record<TransportError['kind'], string> = {
  network: 'Tidak dapat terhubung ke server. Periksa koneksi Anda lalu coba lagi.',
  timeout: 'Server terlalu lama menjawab. Coba lagi.',
  http: 'Terjadi gangguan di sisi kami. Coba lagi sebentar lagi.',
};

/** True if the caller aborted the request; aborts are not reported. */
export const isAbort = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError';

/** The message for an error: what happened and what to do; '' for an abort. */
export function sentenceOf(error: unknown): string {
  if (isAbort(error)) return '';
  const text = error instanceof Error ? refusalTexts.get(error) : undefined;
  if (text) return text.sentence;
  if (error instanceof TransportError) return transportSentences[error.kind];
  if (error instanceof AnswerError) return error.message;
  return 'Terjadi gangguan. Muat ulang halaman lalu coba lagi.';
}

/** The field errors of a refused form; empty for any other error. */
export const fieldsOf = (error: unknown): Readonly<Record<string, string>> =>
  (error instanceof Error && refusalTexts.get(error)?.fields) || {};

/** The code of the refusal; `undefined` for any other error. */
export const refusalCode = (error: unknown): RefusalCode | undefined =>
  error instanceof Error && refusalTexts.has(error) ? (error as Refusal).code : undefined;

/** True if the record in an address does not exist: its id is unknown or malformed. */
export const isNotFound = (error: unknown): boolean =>
  refusalCode(error) === 'not_found' || refusalCode(error) === 'input_invalid';

/** True if the call got no definite answer: no network, a timeout or a server error. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof TransportError || (refusalCode(error) !== undefined && !isDefinite(error));

/** True if an immediate retry would get the same answer. */
export const isDefinite = (error: unknown): boolean =>
  error instanceof Error && refusalTexts.get(error)?.definite === true;
