import { Calendar as Icon, X } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useRef, type ReactNode, type RefObject } from 'react';
import { Chooser, ChooserFoot } from '#web/ui/date/DateChooser.tsx';
import styles from '#web/ui/date/DatePicker.module.css';
import { controlClass, Field, type FieldLinks, type FieldProps } from '#web/ui/form/Field.tsx';
import { usePicking, type DatePickerProps } from '#web/ui/date/usePicking.ts';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { classes } from '#web/ui/classes.ts';
import { presetOf, showRange, type DateRange } from '#web/ui/date/dates.ts';
import { useTopLayer } from '#web/ui/overlay/topLayer.ts';
import { useWide } from '#web/ui/layout/useWide.ts';

/**
 * A day or a range of days: presets, calendars, and dates that are typed ('3 okt', 'kemarin').
 * Civil dates only: it knows no clock but for what today is.
 */
export function DatePicker(props: DatePickerProps) {
  const { label, help, error, hideLabel = false, size, single = false } = props;
  const wide = useWide();
  const place = useTopLayer();
  const trigger = useRef<HTMLButtonElement>(null);
  const picking = usePicking(props);
  const { open, value, today, show } = picking;
  const preset = value && !single ? presetOf(value, today, props) : undefined;
  const nothing = props.placeholder ?? (single ? 'Pilih tanggal' : 'Semua tanggal');
  const shown = value ? shownAs(value, preset && (props.labels?.[preset] ?? preset)) : nothing;
  const title = single ? 'Pilih tanggal' : 'Pilih rentang tanggal';
  const parts = { picking, bounds: props, single, labels: props.labels ?? {} };
  const foot = picking.calendars === 'hidden' ? null : <ChooserFoot {...parts} />;
  return (
    <Popover.Root open={open && wide} onOpenChange={show}>
      <Field label={label} help={help} error={error} hideLabel={hideLabel}>
        {(links) => (
          <Trigger
            at={trigger}
            links={links}
            label={label}
            shown={shown}
            size={size}
            onClear={value ? picking.clear : undefined}
          />
        )}
      </Field>
      <Popover.Portal container={place}>
        <Popover.Content
          className={styles['popover']}
          align="start"
          sideOffset={6}
          collisionPadding={12}
          aria-label={title}
          onOpenAutoFocus={(event) => {
            event.preventDefault();
            focusStart(event.currentTarget);
          }}
          // Opened again before its closing gave the focus back: there it would count as outside.
          onCloseAutoFocus={(event) => {
            if (trigger.current?.ariaExpanded === 'true') event.preventDefault();
          }}
          onInteractOutside={picking.leave}
        >
          <Chooser {...parts} />
          {foot && <div className={styles['foot']}>{foot}</div>}
        </Popover.Content>
      </Popover.Portal>
      <Drawer open={open && !wide} onClose={() => show(false)} title={title} footer={foot}>
        <Chooser {...parts} />
      </Drawer>
    </Popover.Root>
  );
}

const shownAs = (value: DateRange, preset: string | undefined): string =>
  preset ?? showRange(value);

/** On the chosen preset, else on the first one; the calendar takes the focus itself. */
function focusStart(content: EventTarget | null): void {
  if (!(content instanceof HTMLElement) || content.contains(document.activeElement)) return;
  const chosen = content.querySelector<HTMLElement>('[aria-pressed="true"]');
  (chosen ?? content.querySelector<HTMLElement>('[aria-pressed]'))?.focus({ preventScroll: true });
}

type TriggerProps = {
  at: RefObject<HTMLButtonElement | null>;
  links: FieldLinks;
  label: string;
  shown: string;
  size: FieldProps['size'];
  /** Left out while there is nothing to clear. */
  onClear: (() => void) | undefined;
};

const Trigger = ({ at, links, label, shown, size, onClear }: TriggerProps): ReactNode => (
  <div className={controlClass(size, styles['box'])}>
    <Popover.Trigger asChild>
      <button
        ref={at}
        type="button"
        {...links}
        aria-label={`${label}: ${shown}`}
        className={classes(styles['trigger'], !onClear && styles['unset'])}
      >
        <Icon size={18} aria-hidden="true" />
        <span>{shown}</span>
      </button>
    </Popover.Trigger>
    {onClear && (
      <button
        type="button"
        className={styles['clear']}
        aria-label={`Hapus tanggal, ${label}`}
        onClick={onClear}
      >
        <X size={16} />
      </button>
    )}
  </div>
);
