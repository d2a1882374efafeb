import { isolated } from '#contract/base/names.ts';
import { useQuery } from '@tanstack/react-query';
import { Bookmark, ChevronDown } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { civilDate } from '#contract/base/time.ts';
import { deleteView, type MessageView } from '#contract/messages/history.ts';
import { useAct } from '#web/api/query.ts';
import { later } from '#web/browser/lazyComponent.ts';
import { Link } from '#web/browser/router/Link.tsx';
import {
  builtInViews,
  isSame,
  isWorthSaving,
  searchOf,
  viewsQuery,
  type ViewSearch,
} from '#web/features/messages/views/views.ts';
import styles from '#web/features/messages/messages.module.css';
import { classes } from '#web/ui/classes.ts';
import { scrollRow, useScrollRow } from '#web/ui/layout/useScrollRow.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Dropdown, MenuButton } from '#web/ui/menu/Dropdown.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';

const SaveView = later(() => import('#web/features/messages/views/SaveView.tsx'));

type Saving = { view?: MessageView; search: ViewSearch };

type Props = {
  search: ViewSearch;
  /** At its end: the tools of the list. */
  children?: ReactNode;
};

export function ViewBar({ search, children }: Props) {
  const { data, refetch } = useQuery(viewsQuery);
  const [saving, setSaving] = useState<Saving>();
  const bar = useScrollRow<HTMLElement>();
  const today = civilDate(new Date());
  const own = data?.views ?? [];
  const isCurrent = (other: ViewSearch) => isSame(search, other, today);
  const isOwn = own.some(({ filters }) => isCurrent(searchOf(filters, today)));
  const known = isOwn || builtInViews(today).some((view) => isCurrent(view.search));
  return (
    <nav
      ref={bar}
      className={classes('row gap-12 mb-12', styles['viewBarBar'], scrollRow)}
      aria-label="Tampilan riwayat"
    >
      <ul className={classes('flex wrap gap-6 min-w-0', styles['viewBarViews'])}>
        {builtInViews(today).map((view) => (
          <li key={view.name}>
            <ViewLink {...view} current={isCurrent(view.search)} />
          </li>
        ))}
        {own.map((view) => {
          const its = searchOf(view.filters, today);
          const current = isCurrent(its);
          return (
            <li key={view.id} className={classes('flex', styles['own'])}>
              <ViewLink name={view.name} search={its} current={current} />
              {current && (
                <ViewMenu
                  view={view}
                  onRename={() => setSaving({ view, search: its })}
                  onChanged={() => void refetch()}
                />
              )}
            </li>
          );
        })}
      </ul>
      {!known && isWorthSaving(search, today) && (
        <Button
          variant="link"
          size="sm"
          icon={<Bookmark size={16} />}
          onClick={() => setSaving({ search })}
        >
          Simpan tampilan
        </Button>
      )}
      {children}
      {saving && (
        <SaveView
          {...saving}
          own={own}
          onClose={() => setSaving(undefined)}
          onSaved={() => {
            setSaving(undefined);
            void refetch();
          }}
        />
      )}
    </nav>
  );
}

type LinkProps = { name: string; search: ViewSearch; current: boolean };

const ViewLink = ({ name, search, current }: LinkProps) => (
  <Link
    to="/message-history"
    search={search}
    className={classes(
      'block truncate small muted leading-ui no-underline hover-ink',
      styles['view'],
    )}
    aria-current={current || undefined}
  >
    <bdi>{name}</bdi>
  </Link>
);

type MenuProps = { view: MessageView; onRename: () => void; onChanged: () => void };

function ViewMenu({ view: { id, name }, onRename, onChanged }: MenuProps) {
  const remove = useAct(deleteView);
  const ask = async () => {
    const done = await confirm({
      title: `Hapus tampilan "${isolated(name)}"?`,
      children: <p>Hanya tampilannya yang dihapus; pesannya tetap ada.</p>,
      confirmText: 'Hapus',
      onConfirm: async () => void (await remove.perform({ view_id: id })),
    });
    if (done) onChanged();
  };
  return (
    <Dropdown
      label={`Tampilan ${isolated(name)}`}
      align="end"
      trigger={(props) => (
        <button
          {...props}
          type="button"
          className={classes('place-center text-accent bg-primary', styles['more'])}
          aria-label={`Kelola tampilan ${isolated(name)}`}
        >
          <ChevronDown size={16} />
        </button>
      )}
    >
      <MenuButton onClick={onRename}>Ganti nama</MenuButton>
      <MenuButton tone="danger" onClick={() => void ask()}>
        Hapus tampilan
      </MenuButton>
    </Dropdown>
  );
}
