import { useEffect, useReducer, useState } from 'react';
import { sentenceOf } from '#web/api/errors.ts';
import { useChoose } from '#web/features/profile/preferences/preferences.ts';
import { useUser } from '#web/api/user.ts';
import { screensFor } from '#web/app/navigation/menu.ts';
import { everywhere, hasRows, onPage, walking } from '#web/app/shortcuts/appShortcuts.ts';
import type { Shortcut } from '#web/app/shortcuts/shortcuts.ts';
import styles from '#web/app/palette/palette.module.css';
import { Keys } from '#web/app/shortcuts/Keys.tsx';
import { Checkbox } from '#web/ui/form/Checkbox.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';

type Listed = Pick<Shortcut, 'keys'> & { about: string };

const words: Readonly<Record<string, string>> = {
  'Mod+k': 'Cari atau lompat',
  '?': 'Daftar pintasan ini',
  j: 'Baris berikutnya',
  k: 'Baris sebelumnya',
  '/': 'Cari di halaman ini',
  e: 'Ekspor daftar',
};

const described = (shortcuts: readonly Shortcut[]): readonly Listed[] =>
  shortcuts.map(({ keys }) => ({ keys, about: words[keys] ?? keys }));

const inDetails = {
  title: 'Di rincian pesan',
  shortcuts: [
    { keys: 'j', about: 'Pesan berikutnya' },
    { keys: 'k', about: 'Pesan sebelumnya' },
  ],
};

const inRows = {
  title: 'Di daftar',
  shortcuts: [
    ...described(walking),
    { keys: 'Enter', about: 'Buka baris' },
    { keys: 'x', about: 'Pilih baris, bila dapat dipilih' },
  ],
};

const screens = (operator: boolean): readonly Listed[] =>
  screensFor(operator).map(({ label, key }) => ({ keys: `g ${key}`, about: `Buka ${label}` }));

/** All shortcuts by section, without those that have no target on this page. */
const listedShortcuts = (
  operator: boolean,
): readonly { title: string; shortcuts: readonly Listed[] }[] => [
  {
    title: 'Di mana saja',
    shortcuts: [
      ...described(everywhere),
      ...described(onPage.filter(({ place }) => place() !== undefined)),
      { keys: 'Esc', about: 'Tutup dialog atau panel' },
      { keys: 'F8', about: 'Pindah ke pemberitahuan di tepi layar' },
    ],
  },
  { title: 'Pindah halaman', shortcuts: screens(operator) },
  ...(hasRows() ? [inRows] : []),
  ...(operator ? [] : [inDetails]),
  {
    title: 'Menulis pesan',
    shortcuts: [
      { keys: 'Enter', about: 'Kirim' },
      { keys: 'Shift+Enter', about: 'Baris baru' },
    ],
  },
];

/** The help sheet (`?`): all shortcuts, and the switch for single keys. */
export function HelpSheet({ onClose }: { onClose: () => void }) {
  const operator = useUser().role === 'operator';
  usePageChanges();
  return (
    <Modal open onClose={onClose} title="Pintasan papan ketik" size="lg">
      <div className={styles['groups']}>
        {listedShortcuts(operator).map(({ title, shortcuts }) => (
          <section key={title}>
            <h3 className="mb-4 base">{title}</h3>
            <dl>
              {shortcuts.map(({ keys, about }) => (
                <div
                  key={keys}
                  className="row justify-between gap-16 leading-ui min-h-36 border-t py-4"
                >
                  <dt className="muted">{about}</dt>
                  <dd>
                    <Keys keys={keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <SingleKeys />
    </Modal>
  );
}

/** Renders again when the page behind the sheet changes: its rows may still be loading. */
function usePageChanges(): void {
  const [, render] = useReducer((times: number) => times + 1, 0);
  useEffect(() => {
    const watcher = new MutationObserver(render);
    const main = document.querySelector('main');
    if (main) watcher.observe(main, { childList: true, subtree: true });
    return () => watcher.disconnect();
  }, []);
}

/** Applies at once; reverts with an error if saving fails. */
function SingleKeys() {
  const { keys_on: known } = useUser();
  const choose = useChoose();
  const [chosen, setChosen] = useState<boolean>();
  const [failure, setFailure] = useState<string>();
  const change = async (keys_on: boolean) => {
    setChosen(keys_on);
    setFailure(undefined);
    await choose({ keys_on }).catch((error: unknown) => setFailure(sentenceOf(error)));
    setChosen(undefined);
  };
  return (
    <div className="border-t ruled">
      <Checkbox
        label="Pintasan satu tombol"
        help="Tanpa Ctrl atau ⌘. Selalu diam saat Anda mengetik atau saat dialog terbuka. Matikan bila Anda memakai perintah suara."
        error={failure}
        checked={chosen ?? known}
        onChange={({ target }) => void change(target.checked)}
      />
    </div>
  );
}
