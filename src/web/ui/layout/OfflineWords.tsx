import { useQueryClient } from '@tanstack/react-query';
import { CloudOff, WifiOff } from 'lucide-react';
import { lastServerAnswer } from '#web/api/server.ts';
import { userQuery } from '#web/api/user.ts';

/** The sentence of the bar at the top: the reason, and the age of the data on the screen. */
export const OfflineWords = ({ isOnline }: { isOnline: boolean }) => (
  <p className="row justify-center gap-8 small strong leading-ui py-8 px-16 solid-warning">
    {isOnline ? <CloudOff size={16} /> : <WifiOff size={16} />}
    <span>
      {isOnline ? (
        <>
          Server tidak menjawab. <ShownFrom /> Kabari otomatis mencoba lagi.
        </>
      ) : (
        <>
          Anda sedang offline. Pesan akan dikirim saat tersambung. <ShownFrom />
        </>
      )}
    </span>
  </p>
);

/** The age of what is on the screen, in the user's zone. */
function ShownFrom() {
  const timeZone = useQueryClient().getQueryData(userQuery.queryKey)?.timezone ?? 'Asia/Jakarta';
  const at = lastServerAnswer();
  if (at === undefined) return null;
  // By the browser: the time functions of the contract would cost the sign-in page 1 kB.
  const time = new Date(at).toLocaleTimeString('id-ID', { timeStyle: 'short', timeZone });
  return `Yang tampil dari pukul ${time}.`;
}
