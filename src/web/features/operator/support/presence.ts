import { isolated } from '#contract/base/names.ts';
import type { SupportDoing } from '#contract/events.ts';
import { createStore, useStore } from '#web/browser/store.ts';

export type Presence = {
  accountId: string;
  userId: string;
  name: string;
  doing: SupportDoing;
};

/** Presence expires after this: typing is reported every few seconds, looking every twenty. */
const OVER_MS: Readonly<Record<SupportDoing, number>> = {
  answer: 6_000,
  note: 6_000,
  look: 45_000,
};

const present = createStore<readonly Presence[]>(() => []);
const ends = new Map<string, ReturnType<typeof setTimeout>>();

const keyOf = ({ accountId, userId, doing }: Presence): string =>
  `${accountId} ${userId} ${doing === 'look' ? 'look' : 'type'}`;

export function notePresence(one: Presence): void {
  const key = keyOf(one);
  clearTimeout(ends.get(key));
  ends.set(
    key,
    setTimeout(() => forgetPresence(key), OVER_MS[one.doing]),
  );
  const known = presentNow().find((before) => keyOf(before) === key);
  if (known?.doing === one.doing && known.name === one.name) return;
  present.set([...without(key), one]);
}

/** Ends the typing of an operator who has sent a message. @param name as the thread shows it */
export function noteWritten(accountId: string, name: string): void {
  for (const one of presentNow()) {
    if (one.accountId === accountId && one.name === name && one.doing !== 'look')
      forgetPresence(keyOf(one));
  }
}

function forgetPresence(key: string): void {
  clearTimeout(ends.get(key));
  ends.delete(key);
  present.set(without(key));
}

const without = (key: string): readonly Presence[] =>
  present.get().filter((one) => keyOf(one) !== key);

export const presentNow = (): readonly Presence[] => present.get();

/** The other operators in any thread, each once: writing counts before looking. */
export function usePresence(): readonly Presence[] {
  return busiest(useStore(present));
}

export function busiest(all: readonly Presence[]): readonly Presence[] {
  const rank = ({ doing }: Presence) => (doing === 'look' ? 0 : doing === 'note' ? 1 : 2);
  const best = new Map<string, Presence>();
  for (const one of all) {
    const key = `${one.accountId} ${one.userId}`;
    const before = best.get(key);
    if (!before || rank(one) > rank(before)) best.set(key, one);
  }
  return [...best.values()].toSorted((a, b) => rank(b) - rank(a));
}

const verbs: Readonly<Record<SupportDoing, string>> = {
  answer: 'sedang mengetik di sini',
  note: 'sedang menulis catatan di sini',
  look: 'juga membuka percakapan ini',
};

/** `Rina sedang mengetik di sini`; '' for none. */
export function presenceSentence(others: readonly Presence[]): string {
  const [first] = others;
  if (!first) return '';
  const same = others.filter(({ doing }) => doing === first.doing);
  const names = same.map(({ name }) => isolated(name));
  const last = names.pop() ?? '';
  const who = names.length > 0 ? `${names.join(', ')} dan ${last}` : last;
  return `${who} ${verbs[first.doing]}`;
}
