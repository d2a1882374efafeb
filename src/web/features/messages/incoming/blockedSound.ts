import { storageSet, storageGet } from '#web/browser/storage.ts';
import { type Sounded, wasTouched } from '#web/browser/sound.ts';
import { toast } from '#web/ui/toast/toasts.ts';

const NAME = 'sound-held';

/**
 * Reports, once in a tab, that the browser blocks sounds until the page is touched: when the tab is looked at, and only
 * if it is still so.
 */
export function notifyBlockedSound(sounded: Sounded | undefined): void {
  if (sounded !== 'refused' || storageGet('tab', NAME) !== undefined) return;
  if (!document.hidden) return say();
  const seen = () => {
    if (document.hidden) return;
    document.removeEventListener('visibilitychange', seen);
    say();
  };
  document.addEventListener('visibilitychange', seen);
}

function say(): void {
  if (wasTouched() || storageGet('tab', NAME) !== undefined) return;
  storageSet('tab', NAME, '1');
  toast('Browser menahan bunyi pesan baru sampai Anda menyentuh halaman ini atau menekan tombol.');
}
