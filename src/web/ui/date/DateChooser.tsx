import { useId, useState } from 'react';
import { Button } from '#web/ui/button/Button.tsx';
import { Calendar } from '#web/ui/date/Calendar.tsx';
import styles from '#web/ui/date/DatePicker.module.css';
import type { Picking } from '#web/ui/date/usePicking.ts';
import { controlClass } from '#web/ui/form/Field.tsx';
import { showDay } from '#web/ui/date/calendar.ts';
import {
  daysIn,
  presetNames,
  presetOf,
  presetWithin,
  showDate,
  showRange,
  wholeRange,
  type Bounds,
  type DateWord,
  type Picked,
} from '#web/ui/date/dates.ts';
import { readDate, readRange, whyNoDate } from '#web/ui/date/typedDates.ts';
import { useMedia } from '#web/ui/layout/useMedia.ts';

/** Room for two months. */
const ROOMY = '(min-width: 900px)';

type Props = {
  picking: Picking;
  bounds: Bounds;
  single: boolean;
  labels: Readonly<Partial<Record<DateWord, string>>>;
};

/** The content of the date picker's popover or sheet: text input, presets, calendars. */
export function Chooser(props: Props) {
  const { picking, bounds, single } = props;
  const { calendars, picked, today } = picking;
  const roomy = useMedia(ROOMY);
  return (
    <div className={styles['chooser']} data-months={roomy && !single ? 2 : 1}>
      <div className={styles['side']}>
        <Typed picking={picking} single={single} />
        {!single && <Presets {...props} />}
      </div>
      {calendars !== 'hidden' && (
        <div className={styles['calendars']}>
          <Calendar
            picked={picked}
            today={today}
            bounds={bounds}
            months={roomy && !single ? 2 : 1}
            single={single}
            enter={calendars === 'entered'}
            onDay={picking.pick}
          />
        </div>
      )}
    </div>
  );
}

function Presets({ picking, bounds, labels }: Props) {
  const { picked, today, calendars } = picking;
  const range = wholeRange(picked);
  const current = range && presetOf(range, today, bounds);
  return (
    <ul className={styles['presets']} aria-label="Rentang siap pakai">
      {presetNames.map((name) => {
        const made = presetWithin(name, today, bounds);
        if (!made) return null;
        return (
          <li key={name}>
            <button
              type="button"
              className={styles['preset']}
              aria-pressed={name === current}
              onClick={() => picking.apply(made)}
            >
              {labels[name] ?? name}
            </button>
          </li>
        );
      })}
      <li>
        <button
          type="button"
          className={styles['preset']}
          aria-expanded={calendars !== 'hidden'}
          onClick={picking.openCalendars}
        >
          {labels['Custom Range'] ?? 'Custom Range'}
        </button>
      </li>
    </ul>
  );
}

type TypedProps = { picking: Picking; single: boolean };

/** The text input; invalid text is ignored and cleared on blur. */
function Typed({ picking, single }: TypedProps) {
  const [text, setText] = useState<string>();
  const [wrong, setWrong] = useState<string>();
  const id = useId();
  const { picked, today } = picking;
  const range = wholeRange(picked);
  const shown = range ? showRange(range) : picked.from ? showDate(picked.from) : '';
  const read = (typed: string) => {
    if (!single) return readRange(typed, today);
    const day = readDate(typed, today);
    return day === undefined ? undefined : { from: day, to: day };
  };
  return (
    <div>
      <input
        aria-label={single ? 'Ketik tanggal' : 'Ketik rentang tanggal'}
        aria-invalid={wrong ? true : undefined}
        aria-describedby={wrong && id}
        placeholder={single ? 'hh/bb/tttt' : 'hh/bb/tttt - hh/bb/tttt'}
        autoComplete="off"
        className={controlClass('md', styles['typed'])}
        value={text ?? shown}
        onChange={({ target }) => {
          setText(target.value);
          setWrong(undefined);
          const typed = read(target.value);
          if (typed) picking.type(typed);
        }}
        onBlur={() => {
          // Invalid text is cleared; its error stays until the next input.
          if (text !== undefined) setWrong(whyNoDate(text, today, { single }));
          setText(undefined);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          const meant = text === undefined || read(text) !== undefined;
          if (text !== undefined) setWrong(whyNoDate(text, today, { single }));
          if (meant && range) picking.apply(range);
        }}
      />
      <p id={id} role="status" className={styles['wrong']}>
        {wrong}
      </p>
    </div>
  );
}

/** The selection as text, and the buttons to apply or cancel. */
export function ChooserFoot({ picking, single, labels }: Omit<Props, 'bounds'>) {
  const range = wholeRange(picking.picked);
  return (
    <>
      <p className={styles['said']} aria-live="polite">
        {summaryOf(picking.picked, single)}
      </p>
      <Button variant="outline" tone="neutral" onClick={picking.cancel}>
        {labels.Cancel ?? 'Cancel'}
      </Button>
      <Button
        aria-disabled={range === undefined || undefined}
        onClick={() => range && picking.apply(range)}
      >
        {labels.Apply ?? 'Apply'}
      </Button>
    </>
  );
}

function summaryOf(picked: Picked, single: boolean): string {
  const range = wholeRange(picked);
  if (range && single) return showDay(range.from);
  if (range) return `${showRange(range)}, ${daysIn(range)} hari`;
  if (picked.from) return `Mulai ${showDate(picked.from)}. Pilih hari terakhir.`;
  return single ? 'Pilih hari' : 'Pilih hari pertama';
}
