import { useState } from 'react';
import type { ChannelName } from '#contract/tokens.ts';
import { WindowNote } from '#web/features/tokens/channels/WindowNote.tsx';
import styles from '#web/features/tokens/tokens.module.css';
import { samplesFor } from '#web/features/tokens/keys/samples.ts';
import { useSending } from '#web/features/tokens/samples.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { CodeBlock } from '#web/ui/copy/CodeBlock.tsx';
import { CopyField } from '#web/ui/copy/CopyField.tsx';
import { Tabs } from '#web/ui/tabs/Tabs.tsx';

type KeyProps = { secret: string; channel: ChannelName; note?: string };

export const KeyShown = ({ secret, channel, note }: KeyProps) => (
  <div className={styles['parts']}>
    <Alert
      visible
      state="warning"
      label="Kunci ini hanya ditampilkan sekali. Salin dan simpan sekarang di tempat yang aman."
    >
      {note && <p>{note}</p>}
    </Alert>
    <CopyField label="Kunci API" value={secret} look="code" />
    <section className={styles['part']}>
      <h3>Cara memakainya</h3>
      <Samples secret={secret} channel={channel} />
    </section>
  </div>
);

/** The first message in five languages; a placeholder replaces a missing key. */
export function Samples({ secret, channel }: { secret?: string; channel: ChannelName }) {
  const [language, setLanguage] = useState('curl');
  const samples = samplesFor(useSending({ key: secret, channel }));
  return (
    <>
      {channel === 'cloud' && <WindowNote />}
      <Tabs
        label="Bahasa pemrograman"
        value={language}
        onChange={setLanguage}
        tabs={samples.map((sample) => ({
          value: sample.language,
          label: sample.title,
          content: <CodeBlock title={sample.title} code={sample.code} />,
        }))}
      />
      <p className={styles['note']}>
        Semua alamat, isian, dan pesan kesalahannya ada di{' '}
        {/* In a tab of its own: a key is shown only once. */}
        <a href="/docs" target="_blank" rel="noreferrer">
          Dokumentasi API
        </a>
        .
      </p>
    </>
  );
}
