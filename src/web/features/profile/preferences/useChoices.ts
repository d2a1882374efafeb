import { useState } from 'react';
import { isAbort, sentenceOf } from '#web/api/errors.ts';
import { useChoose, type Choice } from '#web/features/profile/preferences/preferences.ts';

type Name = keyof Choice;

/** Switches that apply at once; one that could not be saved reverts and shows the error. */
export function useChoices() {
  const save = useChoose();
  const [failures, setFailures] = useState<Partial<Record<Name, string>>>({});
  const say = (name: Name, sentence: string | undefined) =>
    setFailures(({ [name]: _, ...others }) =>
      sentence === undefined ? others : { ...others, [name]: sentence },
    );
  const choose = (name: Name, choice: Choice) => {
    say(name, undefined);
    save(choice).catch((error: unknown) => {
      if (!isAbort(error)) say(name, `Pilihan ini belum tersimpan. ${sentenceOf(error)}`);
    });
  };
  return { choose, failures };
}
