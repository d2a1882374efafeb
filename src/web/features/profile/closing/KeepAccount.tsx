import { peopleActs } from '#web/client/calls.ts';
import { sentenceOf } from '#web/client/errors.ts';
import { useTakeUser } from '#web/client/preferences.ts';
import { useAct } from '#web/client/query.ts';
import { Button } from '#web/ui/Button.tsx';
import { toast } from '#web/ui/overlays/toasts.ts';

/** Calls the deletion of the account off. */
export function KeepAccount() {
  const takeUser = useTakeUser();
  const keep = useAct(async () => (await peopleActs()).keepAccount);
  const callOff = async () => {
    if (keep.busy) return;
    try {
      takeUser(await keep.perform({}));
      toast('Penghapusan dibatalkan. Akun Anda tetap ada.', { tone: 'success' });
    } catch (no) {
      toast(sentenceOf(no), { tone: 'danger' });
    }
  };
  return (
    <Button
      variant="outline"
      tone="neutral"
      size="sm"
      busy={keep.busy}
      onClick={() => void callOff()}
    >
      Batalkan penghapusan
    </Button>
  );
}
