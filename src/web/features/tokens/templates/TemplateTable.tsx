import { useQuery } from '@tanstack/react-query';
import { FileText, Plus } from 'lucide-react';
import { useMemo } from 'react';
import { formatAgo, formatDateTime } from '#contract/base/time.ts';
import { listTemplates, TEMPLATE_LIMITS, type Template } from '#contract/messages/templates.ts';
import { useUser } from '#web/api/user.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { addressOf, categoryLabel, languageLabel } from '#web/features/tokens/templates/labels.ts';
import { templatesFullQuery } from '#web/features/tokens/templates/queries.ts';
import { TemplateDrawer } from '#web/features/tokens/templates/TemplateDrawer.tsx';
import { TemplateStatusChip } from '#web/features/tokens/templates/TemplateStatusChip.tsx';
import styles from '#web/features/tokens/tokens.module.css';
import { classes } from '#web/ui/classes.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button, type ButtonLook, LinkButton } from '#web/ui/button/Button.tsx';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';
import { useList } from '#web/ui/table/list/useList.ts';

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
