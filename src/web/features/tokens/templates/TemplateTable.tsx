import { useQuery } from '@tanstack/react-query';
import { FileText, Plus, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { formatAgo, formatDateTime } from '#contract/base/time.ts';
import {
  listTemplates,
  TEMPLATE_LIMITS,
  type Template,
  deleteTemplate,
  type TemplateStatus,
} from '#contract/messages/templates.ts';
import { useUser } from '#web/api/user.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import {
  addressOf,
  categoryLabel,
  languageLabel,
  fileLabel,
  namedIn,
  type Examples,
  statusLook,
} from '#web/features/tokens/templates/labels.ts';
import {
  templatesFullQuery,
  templateQuery,
  useTemplatesChanged,
} from '#web/features/tokens/templates/queries.ts';
import styles from '#web/features/tokens/tokens.module.css';
import { classes } from '#web/ui/classes.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button, type ButtonLook, LinkButton } from '#web/ui/button/Button.tsx';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';
import { useList } from '#web/ui/table/list/useList.ts';
import { isNotFound, sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { allTokensQuery } from '#web/api/allTokens.ts';
import { sendSample } from '#web/features/tokens/templates/samples.ts';
import { TemplatePreview } from '#web/features/tokens/templates/TemplatePreview.tsx';
import { useSending } from '#web/features/tokens/samples.ts';
import { CodeBlock } from '#web/ui/copy/CodeBlock.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { Facts, Panel, Stack } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { toast } from '#web/ui/toast/toasts.ts';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';

const columns = (zone: string): readonly Column<Template>[] => [
  {
    id: 'name',
    title: 'Nama',
    sortable: true,
    width: 300,
    phone: 'title',
    cell: ({ name, body }) => (
      <span className={classes('grid justify-items-start gap-2 min-w-0', styles['name'])}>
        <code>{name}</code>
        <span className="max-w-full truncate small faint regular">
          <bdi>{body}</bdi>
        </span>
      </span>
    ),
  },
  {
    id: 'language',
    title: 'Bahasa',
    width: 130,
    phone: 'line',
    cell: ({ language }) => languageLabel(language),
  },
  {
    id: 'category',
    title: 'Kategori',
    width: 120,
    phone: 'hidden',
    cell: ({ category }) => categoryLabel[category].title,
  },
  {
    id: 'status',
    title: 'Status',
    width: 230,
    phone: 'aside',
    cell: ({ status, reason }) => (
      <span className={classes('grid justify-items-start gap-2 min-w-0', styles['status'])}>
        <TemplateStatusChip status={status} />
        {reason !== null && (
          <span className="max-w-full truncate small faint regular">
            <bdi>{reason}</bdi>
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'created_at',
    title: 'Dibuat',
    sortable: true,
    width: 140,
    phone: 'note',
    cell: ({ created_at: at }) => (
      <time dateTime={at.toISOString()} title={formatDateTime(at, zone)}>
        {formatAgo(at, undefined, zone)}
      </time>
    ),
  },
];

const FULL = 'templat-penuh';

/** Opens the form for a template; disabled if there is no room for another. */
export function AddTemplate({ variant = 'solid' }: Pick<ButtonLook, 'variant'>) {
  const look = {
    variant,
    icon: <Plus size={18} aria-hidden="true" />,
    children: 'Tambah templat',
  };
  return useQuery(templatesFullQuery).data ? (
    <Button {...look} disabled aria-describedby={FULL} />
  ) : (
    <LinkButton {...look} to="/token/templat" search={{ view: 'new' }} />
  );
}

/** Why no template can be added, and the way out. */
export const TemplatesFull = () => (
  <Alert
    id={FULL}
    state="info"
    visible
    label={`Sudah ada ${TEMPLATE_LIMITS.all} templat, batas untuk satu akun. Hapus yang tidak diperlukan lagi.`}
  />
);

export function TemplateTable() {
  const { open } = useSearch('/token/templat');
  const { timezone } = useUser();
  const shown = useMemo(() => columns(timezone), [timezone]);
  const { view, onView } = useAddressView('/token/templat', {
    sorts: ['name', 'created_at'],
    order: 'asc',
    top: true,
  });
  const list = useList(listTemplates, {}, view);
  const openAt = (next: string | undefined, replace = false) =>
    void navigate({
      to: '/token/templat',
      change: { open: next },
      replace,
      resetScroll: false,
    });
  return (
    <>
      <DataTable
        {...list.table}
        caption="Templat"
        columns={shown}
        rowKey={addressOf}
        onView={onView}
        onOpen={(template) => openAt(addressOf(template))}
        openKey={open}
        empty={
          <NoRows list={list}>
            <EmptyState
              icon={<FileText size={24} />}
              title="Tulis sekali, kirim dengan namanya"
              action={<AddTemplate variant="subtle" />}
            >
              Templat adalah pesan dengan variabel, misalnya “Halo {'{{1}}'}, pesanan {'{{2}}'}{' '}
              siap”. Program Anda cukup menyebut nama dan isinya.
            </EmptyState>
          </NoRows>
        }
      />
      {open !== undefined && (
        <TemplateDrawer key={open} open={open} onClose={() => openAt(undefined, true)} />
      )}
    </>
  );
}

type Props = {
  /** The key from the address. */
  open: string;
  onClose: () => void;
};

function TemplateDrawer({ open, onClose }: Props) {
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

const TemplateStatusChip = ({ status }: { status: TemplateStatus }) => (
  <StatusChip tone={statusLook[status].tone}>{statusLook[status].words}</StatusChip>
);
