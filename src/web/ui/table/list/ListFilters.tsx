import { SlidersHorizontal, X } from 'lucide-react';
import { Fragment, useState, type ReactNode } from 'react';
import { Button } from '#web/ui/button/Button.tsx';
import { useWide } from '#web/ui/layout/useMedia.ts';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { Stack } from '#web/ui/panel/Panel.tsx';
import type { Option } from '#web/ui/select/options.ts';
import { Select } from '#web/ui/select/Select.tsx';

/** A select; `undefined` is none of its values. */
type SelectFilter = {
  label: string;
  options: readonly Option[];
  value: string | undefined;
  onChange: (value: string | undefined) => void;
};

/** A select, or any other field. */
export type Filter = SelectFilter | ((hideLabel: boolean) => ReactNode);

type Props = {
  /** The title of the sheet, as in `Saring mutasi`. */
  title: string;
  /** The number of filters that are set. */
  count: number;
  reset?: string;
  onReset: () => void;
  /** Their labels are visible in the sheet only. */
  filters: readonly Filter[];
};

/** The filters of a list: fields in the row of the parent, on phones one button that opens them in a sheet. */
export function ListFilters({ title, count, reset = 'Hapus filter', onReset, filters }: Props) {
  const [open, setOpen] = useState(false);
  const wide = useWide();
  const fields = filters.map((filter, index) => (
    <Fragment key={index}>
      {typeof filter === 'function' ? (
        filter(wide)
      ) : (
        <Select
          label={filter.label}
          hideLabel={wide}
          options={filter.options}
          value={filter.value ?? ''}
          onChange={({ target }) => filter.onChange(target.value || undefined)}
        />
      )}
    </Fragment>
  ));
  if (wide)
    return (
      <>
        {fields}
        {count > 0 && (
          <Button
            variant="link"
            tone="neutral"
            icon={<X size={16} />}
            onClick={({ currentTarget: { parentElement: row } }) => {
              // The button goes away with the filters.
              row?.querySelector<HTMLElement>('input, select, button')?.focus();
              onReset();
            }}
          >
            {reset}
          </Button>
        )}
      </>
    );
  return (
    <>
      <Button
        variant={count > 0 ? 'subtle' : 'outline'}
        icon={<SlidersHorizontal size={18} />}
        square={count === 0}
        aria-label={count > 0 ? `Filter (${count})` : 'Filter'}
        onClick={() => setOpen(true)}
      >
        {count > 0 && count}
      </Button>
      <Modal
        open={open}
        onClose={() => setOpen(false)}
        title={title}
        footer={
          <>
            <Button variant="outline" onClick={onReset}>
              {reset}
            </Button>
            <Button onClick={() => setOpen(false)}>Lihat daftar</Button>
          </>
        }
      >
        <Stack>{fields}</Stack>
      </Modal>
    </>
  );
}
