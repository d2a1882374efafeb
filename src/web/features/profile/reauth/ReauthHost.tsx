import { useEffect, useState, type ComponentType } from 'react';
import { answerReauth, reauthRequest } from '#web/api/reauth.ts';
import { useStore } from '#web/browser/store.ts';
import { toast } from '#web/ui/toast/toasts.ts';

/** Shows the password prompt; the dialog's code is loaded with the first prompt. */
export function ReauthHost() {
  const open = useStore(reauthRequest) !== undefined;
  const [Dialog, setDialog] = useState<ComponentType>();
  useEffect(() => {
    if (!open || Dialog) return;
    import('#web/features/profile/reauth/ReauthDialog.tsx').then(
      ({ ReauthDialog }) => setDialog(() => ReauthDialog),
      () => {
        toast('Halaman ini belum dimuat lengkap. Periksa koneksi Anda, lalu coba lagi.', {
          tone: 'danger',
        });
        answerReauth(false);
      },
    );
  }, [open, Dialog]);
  return open && Dialog ? <Dialog /> : null;
}
