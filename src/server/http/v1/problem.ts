import { englishFor } from '#contract/language/english.ts';
import { developerSentenceFor } from '#contract/language/indonesian.ts';
import type { Language } from '#contract/language/language.ts';
import { type FactsOf, type Refusal, refusals } from '#contract/base/refusals.ts';
import type { Problem } from '#contract/rest/endpoint.ts';

const titles: Record<Language, (status: number) => string> = {
  id: (status) => (status >= 500 ? 'Gangguan layanan' : 'Permintaan ditolak'),
  en: (status) => (status >= 500 ? 'Service trouble' : 'Request refused'),
};

/** A refusal as RFC 9457 problem details (docs/api.md#errors). */
export function problemOf(no: Refusal, requestId: string, language: Language): Problem {
  const entry: { status: number; retryable?: true } = refusals[no.code];
  const fields =
    no.code === 'input_invalid' ? (no.facts as FactsOf<'input_invalid'>).fields : undefined;
  return {
    type: `urn:kabari:error:${no.code}`,
    title: titles[language](entry.status),
    status: entry.status,
    detail: language === 'en' ? englishFor(no) : developerSentenceFor(no),
    code: no.code,
    request_id: requestId,
    retryable: entry.retryable ?? false,
    ...(fields && { fields }),
  };
}

/** The seconds a caller should wait, where the refusal names them. */
export function waitOf({ facts }: Refusal): number | undefined {
  return 'seconds' in facts ? Math.max(1, facts.seconds) : undefined;
}
