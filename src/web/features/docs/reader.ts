import { createContext } from 'react';
import type { SampleLanguage, SampleRequest } from '#web/features/docs/samples.ts';

export type Reader = {
  language: SampleLanguage;
  setLanguage: (language: SampleLanguage) => void;
  tryOut: (request: SampleRequest) => void;
};

export const ReaderContext = createContext<Reader>({
  language: 'curl',
  setLanguage: () => undefined,
  tryOut: () => undefined,
});
