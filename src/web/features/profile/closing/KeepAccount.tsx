import { peopleActs } from '#web/api/lazyApi.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useTakeUser } from '#web/features/profile/preferences/preferences.ts';
import { useAct } from '#web/api/query.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

export function KeepAccount() {
  const takeUser = useTakeUser();
  const keep = useAct(async () => (await peopleActs()).cancelDeletion);
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
    <Button variant="outline" size="sm" busy={keep.busy} onClick={() => void callOff()}>
      Batalkan penghapusan
    </Button>
  );
}
