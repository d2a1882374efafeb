import { useState } from 'react';
import type { WebhookFormat } from '#contract/webhooks.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { signatureSamples } from '#web/features/webhooks/samples/samples.ts';
import { CodeBlock } from '#web/ui/copy/CodeBlock.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { Tabs } from '#web/ui/tabs/Tabs.tsx';

/** Code that verifies signatures; renders nothing for a format with other signatures. */
export function SignatureSamples({ format }: { format: WebhookFormat }) {
  const [language, setLanguage] = useState('node');
  if (format !== 'kabari') return null;
  return (
    <Panel title="Memeriksa tanda tangan">
      <div className="stack gap-12">
        <p className="measure muted">
          Periksa setiap peristiwa sebelum dipercaya: tanda tangannya dihitung dari isi mentah, jadi
          baca sebelum JSON diurai. Yang sama dapat datang dua kali; kenali dari{' '}
          <code>webhook-id</code>.
        </p>
        <Tabs
          label="Bahasa pemrograman"
          value={language}
          onChange={setLanguage}
          tabs={signatureSamples.map(({ language: value, title, code }) => ({
            value,
            label: title,
            content: <CodeBlock title={title} code={code} />,
          }))}
        />
        <p className="small faint">
          Pustaka <code>standardwebhooks</code> memeriksanya juga, di semua bahasa ini. Selengkapnya
          di{' '}
          <Link to="/docs" search={{ page: 'webhooks' }}>
            dokumentasi webhook
          </Link>
          .
        </p>
      </div>
    </Panel>
  );
}
