let said: { text: string; turn: number } = { text: '', turn: 0 };
const listeners = new Set<() => void>();

/** Says something to screen readers, politely, without showing it. */
export function announce(text: string): void {
  said = { text, turn: said.turn + 1 };
  for (const listener of listeners) listener();
}

/** For `useSyncExternalStore`. */
export const announcements = {
  now: (): typeof said => said,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
