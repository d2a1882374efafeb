import { useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { formatDateTime } from '#contract/base/time.ts';
import { deleteTemplate, type Template } from '#contract/messages/templates.ts';
import { isNotFound, sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { useUser } from '#web/api/user.ts';
import { allTokensQuery } from '#web/api/allTokens.ts';
import {
  categoryLabel,
  fileLabel,
  languageLabel,
  namedIn,
  type Examples,
} from '#web/features/tokens/templates/labels.ts';
import { templateQuery, useTemplatesChanged } from '#web/features/tokens/templates/queries.ts';
import { sendSample } from '#web/features/tokens/templates/samples.ts';
import { TemplatePreview } from '#web/features/tokens/templates/TemplatePreview.tsx';
import { TemplateStatusChip } from '#web/features/tokens/templates/TemplateStatusChip.tsx';
import { useSending } from '#web/features/tokens/samples.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { CodeBlock } from '#web/ui/copy/CodeBlock.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Facts, Panel, Stack } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

type Props = {
  /** The key from the address. */
  open: string;
  onClose: () => void;
};

export function TemplateDrawer({ open, onClose }: Props) {
  const named = namedIn(open);
  const { data: template, error, refetch } = useQuery(templateQuery(named));
  return (
    <Drawer addressed open onClose={onClose} title={<bdi>{named.name}</bdi>} size="lg">
      {template ? (
        <Details template={template} onGone={onClose} />
      ) : error && !isNotFound(error) ? (
        <WentWrong message={sentenceOf(error)} onRetry={() => void refetch()} />
      ) : template === null || error ? (
        <EmptyState title="Templat ini tidak ada">
          Mungkin sudah dihapus, atau namanya atau bahasanya lain.
        </EmptyState>
      ) : (
        <div aria-busy="true">
          <Stack gap={24}>
            <Skeleton height={24} width={140} />
            <Skeleton height={180} />
            <Skeleton height={160} />
          </Stack>
        </div>
      )}
    </Drawer>
  );
}

function Details({ template, onGone }: { template: Template; onGone: () => void }) {
  const { timezone } = useUser();
  const [examples, setExamples] = useState<Examples>({});
  const { data: tokens } = useQuery(allTokensQuery);
  const sending = useSending({ channel: tokens?.find(({ phone }) => phone !== null)?.channel });
  const remove = useRemoveTemplate(template, onGone);
  const { status, category, language, created_at } = template;
  return (
    <Stack gap={24}>
      <Stack gap={12}>
        <StatusNotice template={template} />
        <Facts
          facts={[
            { term: 'Status', is: <TemplateStatusChip status={status} /> },
            { term: 'Bahasa', is: `${languageLabel(language)} (${language})` },
            { term: 'Kategori', is: categoryLabel[category].title },
            ...partFacts(template),
            { term: 'Dibuat', is: formatDateTime(created_at, timezone) },
          ]}
        />
      </Stack>
      <Panel title="Pratinjau">
        <TemplatePreview template={template} examples={examples} onExamples={setExamples} />
      </Panel>
      <Panel title="Kirim lewat API">
        <CodeBlock title="curl" code={sendSample(sending, template, examples)} />
      </Panel>
      <div>
        <Button
          variant="outline"
          tone="danger"
          icon={<Trash2 size={18} aria-hidden="true" />}
          onClick={() => void remove()}
        >
          Hapus templat
        </Button>
      </div>
    </Stack>
  );
}

function partFacts({ header_file: file, header_variable: variable, button_values }: Template) {
  const buttons = button_values.map(({ title }) => title).join(', ');
  return [
    ...(file === null ? [] : [{ term: 'Berkas di atas', is: fileLabel[file] }]),
    ...(variable === null ? [] : [{ term: 'Variabel judul', is: `{{${variable}}}` }]),
    ...(buttons === '' ? [] : [{ term: 'Tombol yang diisi', is: <bdi>{buttons}</bdi> }]),
  ];
}

function StatusNotice({ template: { status, reason } }: { template: Template }) {
  if (status === 'approved') return null;
  if (status === 'pending') {
    return (
      <Alert
        visible
        state="info"
        label="Jaringan belum menyetujui templat ini, jadi belum dapat dikirim."
      />
    );
  }
  return (
    <Alert visible state="danger" label="Jaringan menolak templat ini, jadi tidak dapat dikirim.">
      <p>
        {reason === null ? 'Alasannya tidak disebutkan.' : <bdi>{reason}</bdi>} Perbaiki isinya,
        lalu ajukan dengan nama lain.
      </p>
    </Alert>
  );
}

function useRemoveTemplate({ name, language }: Template, onGone: () => void) {
  const changed = useTemplatesChanged();
  const remove = useAct(deleteTemplate);
  return async () => {
    const gone = await confirm({
      title: `Hapus templat ${name}?`,
      children: (
        <p>
          Permintaan API yang menyebut templat ini dalam bahasa {languageLabel(language)} akan
          ditolak. Pesan yang sudah dikirim dengannya tetap ada. Ini tidak dapat dibatalkan.
        </p>
      ),
      cancelText: 'Batal',
      confirmText: 'Hapus',
      sentenceOf,
      onConfirm: async () => {
        await remove.perform({ name, language });
      },
    });
    if (!gone) return;
    onGone();
    changed();
    toast(`Templat ${name} dihapus.`, { tone: 'success' });
  };
}
