import { useEffect, useState, useSyncExternalStore, type ComponentType } from 'react';
import { answerProof, proofQuestion } from '#web/api/reauth.ts';
import { toast } from '#web/ui/toast/toasts.ts';

/** Where the password is asked for once more; the dialog's code arrives with the first question. */
export function ProofPlace() {
  const asked = useSyncExternalStore(proofQuestion.subscribe, proofQuestion.stands);
  const [Dialog, setDialog] = useState<ComponentType>();
  useEffect(() => {
    if (!asked || Dialog) return;
    import('#web/features/profile/reauth/ReauthDialog.tsx').then(
      ({ ProofDialog }) => setDialog(() => ProofDialog),
      () => {
        toast('Halaman ini belum dimuat lengkap. Periksa koneksi Anda, lalu coba lagi.', {
          tone: 'danger',
        });
        answerProof(false);
      },
    );
  }, [asked, Dialog]);
  return asked && Dialog ? <Dialog /> : null;
}
