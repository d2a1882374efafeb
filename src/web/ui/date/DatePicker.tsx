import { Calendar as Icon, X } from 'lucide-react';
import { useRef, type ReactNode, type RefObject } from 'react';
import {
  Chooser,
  ChooserFoot,
  usePicking,
  type DatePickerProps,
} from '#web/ui/date/DateChooser.tsx';
import styles from '#web/ui/date/DatePicker.module.css';
import { controlClass, Field, type FieldLinks, type FieldProps } from '#web/ui/form/Field.tsx';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { classes } from '#web/ui/classes.ts';
import { presetOf, showRange, type DateRange } from '#web/ui/date/dates.ts';
import { Popover } from '#web/ui/overlay/Popover.tsx';
import { useWide } from '#web/ui/layout/useMedia.ts';

/**
 * A day or a range of days: presets, calendars, and text input ('3 okt', 'kemarin'). Civil dates only; the clock is
 * used only for today's date.
 */
export function DatePicker(props: DatePickerProps) {
  const { label, help, error, hideLabel = false, size, single = false, required = false } = props;
  const wide = useWide();
  const trigger = useRef<HTMLButtonElement>(null);
  const picking = usePicking(props);
  const { open, value, today, show } = picking;
  const preset = value && !single ? presetOf(value, today, props) : undefined;
  const emptyText = props.placeholder ?? (single ? 'Pilih tanggal' : 'Semua tanggal');
  const shown = value ? shownAs(value, preset && (props.labels?.[preset] ?? preset)) : emptyText;
  const title = single ? 'Pilih tanggal' : 'Pilih rentang tanggal';
  const parts = { picking, bounds: props, single, labels: props.labels ?? {} };
  const foot = picking.calendars === 'hidden' ? null : <ChooserFoot {...parts} />;
  return (
    <>
      <Field label={label} help={help} error={error} hideLabel={hideLabel} required={required}>
        {(links) => (
          <Trigger
            at={trigger}
            links={links}
            open={open && wide}
            onOpen={() => show(!open)}
            label={label}
            shown={shown}
            isSet={value !== null}
            size={size}
            onClear={value && !required ? picking.clear : undefined}
          />
        )}
      </Field>
      {open && wide && (
        <Popover
          anchor={trigger}
          gap={6}
          edge={12}
          className={classes('overflow-y no-outline', styles['popover'])}
          role="dialog"
          aria-label={title}
          onShown={focusStart}
          onLeave={picking.leave}
          onEscape={picking.cancel}
        >
          <Chooser {...parts} />
          {foot && (
            <div
              className={classes('row wrap justify-end gap-8 border-t py-10 px-12', styles['foot'])}
            >
              {foot}
            </div>
          )}
        </Popover>
      )}
      <Drawer open={open && !wide} onClose={() => show(false)} title={title} footer={foot}>
        <Chooser {...parts} />
      </Drawer>
    </>
  );
}

const shownAs = (value: DateRange, preset: string | undefined): string =>
  preset ?? showRange(value);

/** Focuses the selected preset, else the first one; the calendar focuses itself. */
function focusStart(content: HTMLElement): void {
  if (content.contains(document.activeElement)) return;
  const selected = content.querySelector<HTMLElement>('[aria-pressed="true"]');
  (selected ?? content.querySelector<HTMLElement>('[aria-pressed]'))?.focus({
    preventScroll: true,
  });
}

type TriggerProps = {
  at: RefObject<HTMLButtonElement | null>;
  links: FieldLinks;
  open: boolean;
  onOpen: () => void;
  label: string;
  shown: string;
  isSet: boolean;
  size: FieldProps['size'];
  /** Undefined if there is nothing to clear, or clearing is not allowed. */
  onClear: (() => void) | undefined;
};

const Trigger = ({
  at,
  links,
  open,
  onOpen,
  label,
  shown,
  isSet,
  size,
  onClear,
}: TriggerProps): ReactNode => (
  <div className={controlClass(size, classes('max-w-full', styles['box']))}>
    <button
      ref={at}
      type="button"
      {...links}
      aria-haspopup="dialog"
      aria-expanded={open}
      onClick={onOpen}
      aria-label={`${label}: ${shown}`}
      className={classes(
        'row fill gap-10 px-12 nowrap no-outline',
        styles['trigger'],
        !isSet && 'muted',
      )}
    >
      <Icon size={18} className="flex-none faint" />
      <span className="clip">{shown}</span>
    </button>
    {onClear && (
      <button
        type="button"
        className={classes(
          'place-center size-32 flex-none rounded-sm faint hover-ink',
          styles['clear'],
        )}
        aria-label={`Hapus tanggal, ${label}`}
        onClick={onClear}
      >
        <X size={16} />
      </button>
    )}
  </div>
);
