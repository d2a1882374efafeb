import { useEffect, useRef, useState } from 'react';
import { storageGet, storageSet } from '#web/browser/storage.ts';
import { useForm, type Form, type Values } from '#web/ui/form/useForm.ts';

type StoredForm<V extends Values> = Form<V> & {
  /** Marks values as saved or discarded: they are not stored again until they change. */
  saved: (values: V) => void;
};

/**
 * As `useForm`, with values that survive a reload and navigation: they stay in this tab until they are saved, or the
 * person signs out. An `upload` is excluded: it is gone once it was used.
 *
 * @param name the storage key.
 */
export function useStoredForm<V extends Values>(
  name: string,
  initial: V,
  check: Parameters<typeof useForm<V>>[1],
): StoredForm<V> {
  const [restored] = useState(() => ({ ...initial, ...valuesStored(name, initial) }));
  const form = useForm(restored, check);
  const [first] = useState(() => written(initial));
  const onServer = useRef(first);
  const { values: now } = form;
  useEffect(() => {
    const text = written(now);
    storageSet('tab', name, text === onServer.current ? undefined : text);
  }, [name, now]);
  return {
    ...form,
    saved: (values) => {
      onServer.current = written(values);
      storageSet('tab', name, undefined);
    },
  };
}

const written = ({ upload: _, ...values }: Values): string => JSON.stringify(values);

function valuesStored<V extends Values>(name: string, initial: V): Partial<V> {
  const stored = storageGet('tab', name);
  if (stored === undefined) return {};
  try {
    const values = Object.entries(JSON.parse(stored) as object).filter(
      ([field, value]) =>
        typeof value === typeof initial[field] &&
        Array.isArray(value) === Array.isArray(initial[field]),
    );
    return Object.fromEntries(values) as Partial<V>;
  } catch {
    return {};
  }
}
