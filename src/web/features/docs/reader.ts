import { createContext } from 'react';
import type { Language } from '#contract/language/language.ts';
import type { SampleLanguage, SampleRequest } from '#web/features/docs/samples.ts';

export type Reader = {
  /** The language of the page. */
  reads: Language;
  language: SampleLanguage;
  setLanguage: (language: SampleLanguage) => void;
  tryOut: (request: SampleRequest) => void;
};

export const ReaderContext = createContext<Reader>({
  reads: 'id',
  language: 'curl',
  setLanguage: () => undefined,
  tryOut: () => undefined,
});
