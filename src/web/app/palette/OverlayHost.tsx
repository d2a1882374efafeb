import { createElement, useEffect, useState, type ComponentType } from 'react';
import { closeOverlay, overlay, type Overlay } from '#web/app/palette/overlay.ts';
import { address } from '#web/browser/router/navigation.ts';
import { useStore } from '#web/browser/store.ts';
import { loadFilesDialog } from '#web/features/exports/dialog.ts';
import { toast } from '#web/ui/toast/toasts.ts';

type Part = ComponentType<{ onClose: () => void }>;

const parts: Record<Overlay, () => Promise<Part>> = {
  palette: async () => (await import('#web/app/palette/Palette.tsx')).Palette,
  help: async () => (await import('#web/app/shortcuts/HelpSheet.tsx')).HelpSheet,
  exports: loadFilesDialog,
};

/** Hosts the command palette, the help sheet and the export list, loaded on first use. Navigation closes them. */
export function OverlayHost() {
  const name = useStore(overlay);
  const [loaded, setLoaded] = useState<Partial<Record<Overlay, Part>>>({});
  const place = useStore(address);
  useEffect(() => closeOverlay, [place]);
  useEffect(() => {
    if (name === undefined || loaded[name]) return;
    parts[name]().then(
      (part) => setLoaded((before) => ({ ...before, [name]: part })),
      () => {
        closeOverlay();
        toast('Halaman ini belum dimuat lengkap. Periksa koneksi Anda, lalu coba lagi.', {
          tone: 'danger',
        });
      },
    );
  }, [name, loaded]);
  const Part = name && loaded[name];
  return Part ? createElement(Part, { onClose: closeOverlay }) : null;
}
