import { useSyncExternalStore, type ComponentType } from 'react';
import { toast } from '#web/ui/toast/toasts.ts';

type Part = ComponentType<{ onClose: () => void }>;

const parts = {
  palette: async (): Promise<Part> => (await import('#web/app/palette/Palette.tsx')).Palette,
  help: async (): Promise<Part> => (await import('#web/app/shortcuts/HelpSheet.tsx')).HelpSheet,
};

export type Overlay = keyof typeof parts;

let shown: Part | undefined;
const listeners = new Set<() => void>();

function become(next: Part | undefined): void {
  shown = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** What stands over the page: the command palette, the help sheet, or nothing. */
export const useOverlay = (): Part | undefined => useSyncExternalStore(subscribe, () => shown);

/** Opens the command palette or the help sheet; their code comes with the first time. */
export async function openOverlay(name: Overlay): Promise<void> {
  const part = await parts[name]().catch(() => undefined);
  if (part) return become(part);
  toast('Halaman ini belum dimuat lengkap. Periksa koneksi Anda, lalu coba lagi.', {
    tone: 'danger',
  });
}

export const closeOverlay = (): void => become(undefined);
