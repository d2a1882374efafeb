import { createStore } from '#web/browser/store.ts';

export type ToastTone = 'info' | 'success' | 'warning' | 'danger';

export type Toast = {
  id: number;
  text: string;
  tone: ToastTone;
  action?: { label: string; onAction: () => void };
};

/** The lifetime of a toast (docs/screens.md#toasts-and-dialogs). */
export const TOAST_MS = 5_000;
/** Beyond this the oldest are removed. */
export const TOASTS_MAX = 5;

/** The toasts on the screen, oldest first. */
export const toasts = createStore<readonly Toast[]>(() => []);

let newest = 0;
const shownAt = new Map<string, number>();

/** Shows a message for 5 s; never the only place of an error. The same text within 5 s is shown once. */
export function toast(
  text: string,
  { tone = 'info', action }: { tone?: ToastTone; action?: Toast['action'] } = {},
): void {
  const now = Date.now();
  if (now - (shownAt.get(text) ?? -TOAST_MS) < TOAST_MS) return;
  if (shownAt.size > 50) shownAt.clear();
  shownAt.set(text, now);
  newest += 1;
  const next: Toast = action ? { id: newest, text, tone, action } : { id: newest, text, tone };
  toasts.set([...toasts.get(), next].slice(-TOASTS_MAX));
}

export function dismissToast(id: number): void {
  const shown = toasts.get();
  if (shown.some((one) => one.id === id)) toasts.set(shown.filter((one) => one.id !== id));
}
