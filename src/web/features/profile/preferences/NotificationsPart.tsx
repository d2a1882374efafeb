import { Volume2 } from 'lucide-react';
import { useState } from 'react';
import { sounds } from '#contract/people.ts';
import { sentenceOf } from '#web/api/errors.ts';
import {
  disablePush,
  enablePush,
  sendTestPush,
  usePushState,
  type PushState,
} from '#web/features/push/push.ts';
import { playSound } from '#web/browser/sound.ts';
import { useUser } from '#web/api/user.ts';
import styles from '#web/features/profile/profile.module.css';
import { classes } from '#web/ui/classes.ts';
import { Section } from '#web/features/profile/Section.tsx';
import { useChoices } from '#web/features/profile/preferences/useChoices.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Checkbox } from '#web/ui/form/Checkbox.tsx';
import { Select } from '#web/ui/select/Select.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

const soundOptions = Object.entries(sounds).map(([value, label]) => ({ value, label }));

async function tryOut(sound: string): Promise<void> {
  if ((await playSound(sound)) === 'played') return;
  toast('Bunyi tidak dapat diputar. Periksa izin bunyi situs ini di browser Anda.', {
    tone: 'warning',
  });
}

export function NoticesPart() {
  const user = useUser();
  const { choose, failures } = useChoices();
  return (
    <Section id="pemberitahuan" title="Pemberitahuan">
      <div className="stack gap-10">
        <Checkbox
          label="Bunyikan pesan baru"
          help="Satu pesan berbunyi sekali, berapa pun tab yang terbuka."
          checked={user.sound_on}
          error={failures.sound_on}
          onChange={({ target }) => choose('sound_on', { sound_on: target.checked })}
        />
        <div className="grid align-end gap-10 ms-30">
          <Select
            label="Pilihan bunyi"
            options={soundOptions}
            value={user.sound}
            error={failures.sound}
            onChange={({ target }) => choose('sound', { sound: target.value })}
          />
          <Button
            variant="outline"
            icon={<Volume2 size={18} />}
            onClick={() => void tryOut(user.sound)}
          >
            Coba bunyi
          </Button>
        </div>
      </div>
      <div className="stack gap-10 ruled">
        <Checkbox
          label="Pemberitahuan pesan baru"
          help="Muncul juga saat Kabari tidak sedang dibuka. Berlaku untuk semua browser Anda."
          checked={user.push_on}
          error={failures.push_on}
          onChange={({ target }) => choose('push_on', { push_on: target.checked })}
        />
        {user.push_on && (
          <>
            <ThisBrowser />
            <Checkbox
              label="Tampilkan isi pesan"
              help="Bila dimatikan, pemberitahuan hanya menyebut pengirimnya. Isi pesan dikirim ke browser dalam keadaan terenkripsi."
              checked={user.push_text}
              error={failures.push_text}
              onChange={({ target }) => choose('push_text', { push_text: target.checked })}
            />
          </>
        )}
      </div>
    </Section>
  );
}

const words: Record<PushState, string> = {
  unsupported:
    'Browser ini tidak mendukung pemberitahuan, atau alamat halaman ini tidak diawali https.',
  install_first:
    'Di iPhone dan iPad, tambahkan dulu Kabari ke layar utama lewat tombol Bagikan, lalu buka dari sana.',
  denied:
    'Browser memblokir pemberitahuan dari situs ini. Izinkan lewat ikon gembok di samping alamat, lalu muat ulang.',
  unasked: 'Browser ini belum diizinkan menampilkan pemberitahuan.',
  off: 'Dimatikan di browser ini.',
  starting: 'Sedang disiapkan di browser ini.',
  on: 'Aktif di browser ini.',
  failed:
    'Layanan pemberitahuan browser ini belum dapat dihubungi. Kami mencobanya lagi nanti, atau coba sekarang.',
};

const ways: Partial<Record<PushState, string>> = {
  unasked: 'Izinkan di browser ini',
  off: 'Nyalakan di browser ini',
  failed: 'Coba lagi',
};

function ThisBrowser() {
  const state = usePushState();
  const [busy, setBusy] = useState(false);
  // Kept here: a lost subscription turns push off, which removes the button of the test.
  const [failure, setFailure] = useState<string>();
  const run = (work: () => Promise<unknown>) => async () => {
    setBusy(true);
    setFailure(undefined);
    await work().finally(() => setBusy(false));
  };
  const way = ways[state];
  return (
    <div className={classes('row wrap gap-6 gap-x-12 note-box ms-30', styles['browser'])}>
      <p role="status">{words[state]}</p>
      {way !== undefined && (
        <Button size="sm" variant="subtle" busy={busy} onClick={() => void run(enablePush)()}>
          {way}
        </Button>
      )}
      {state === 'on' && (
        <>
          <TestPush onFailure={setFailure} />
          <Button
            size="sm"
            variant="link"
            tone="neutral"
            busy={busy}
            onClick={() => void run(disablePush)()}
          >
            Matikan di sini
          </Button>
        </>
      )}
      {failure && (
        <p className="small text-danger" role="alert">
          {failure}
        </p>
      )}
    </div>
  );
}

function TestPush({ onFailure }: { onFailure: (sentence: string | undefined) => void }) {
  const [busy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    onFailure(undefined);
    try {
      await sendTestPush();
      toast('Pemberitahuan uji coba dikirim ke browser ini.', { tone: 'success' });
    } catch (no) {
      onFailure(sentenceOf(no));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button size="sm" variant="subtle" busy={busy} onClick={() => void send()}>
      Kirim uji coba
    </Button>
  );
}
