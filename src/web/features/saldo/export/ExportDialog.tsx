import { useId, useState } from 'react';
import { formatNumber } from '#contract/base/money.ts';
import {
  exportSaldo,
  MutationKind,
  mutationKindLabel,
  STATEMENT_PDF_MAX,
} from '#contract/saldo.ts';
import { civilDate } from '#contract/base/time.ts';
import { refusalCode, sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import styles from '#web/features/saldo/saldo.module.css';
import { classes } from '#web/ui/classes.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { saveFrom } from '#web/ui/copy/saveFile.ts';
import { DatePicker } from '#web/ui/date/DatePicker.tsx';
import { type DateRange, dateWords, plusDays } from '#web/ui/date/dates.ts';
import { FormModal } from '#web/ui/form/FormModal.tsx';
import { Select } from '#web/ui/select/Select.tsx';

type Format = 'csv' | 'pdf';

const formats: readonly { value: Format; label: string; note: string }[] = [
  { value: 'csv', label: 'CSV', note: 'Untuk Excel dan aplikasi pembukuan, berapa pun barisnya.' },
  {
    value: 'pdf',
    label: 'PDF',
    note: `Untuk dicetak atau diserahkan, sampai ${formatNumber(STATEMENT_PDF_MAX)} baris.`,
  },
];

const kinds = [
  { value: '', label: 'Semua jenis' },
  ...MutationKind().options.map((kind) => ({ value: kind, label: mutationKindLabel[kind] })),
];

const lastMonth = (): DateRange => {
  const to = civilDate(new Date());
  return { from: plusDays(to, -29), to };
};

type Props = {
  range: DateRange | null;
  kind: MutationKind | undefined;
  onClose: () => void;
};

export function ExportDialog({ onClose, ...proposed }: Props) {
  const [range, setRange] = useState<DateRange | null>(() => proposed.range ?? lastMonth());
  const [isMissing, setMissing] = useState(false);
  const [kind, setKind] = useState(proposed.kind);
  const [format, setFormat] = useState<Format>('csv');
  const make = useAct(exportSaldo, {
    onSuccess: ({ url, filename }) => {
      saveFrom(url, filename);
      onClose();
    },
  });
  const send = (as: Format) => {
    if (make.busy) return;
    setMissing(range === null);
    if (!range) return;
    setFormat(as);
    make.mutate({ format: as, ...range, ...(kind && { kind }) });
  };
  return (
    <FormModal
      onClose={onClose}
      title="Unduh mutasi"
      submit={`Unduh ${format.toUpperCase()}`}
      busy={make.busy}
      onSubmit={() => send(format)}
    >
      {make.error && !make.busy && <Refused error={make.error} onInstead={() => send('csv')} />}
      <DatePicker
        label="Periode"
        labels={dateWords}
        placeholder="Pilih periode"
        value={range}
        error={isMissing && !range ? 'Pilih periodenya.' : undefined}
        onChange={setRange}
      />
      <Select
        label="Jenis mutasi"
        options={kinds}
        value={kind ?? ''}
        onChange={({ target }) =>
          setKind(MutationKind().options.find((option) => option === target.value))
        }
      />
      <Formats
        value={format}
        onChange={(chosen) => {
          setFormat(chosen);
          make.reset();
        }}
      />
    </FormModal>
  );
}

/** Why there is no file; one too long for a PDF is offered as CSV. */
function Refused({ error, onInstead }: { error: Error; onInstead: () => void }) {
  const isTooLong = refusalCode(error) === 'statement_too_long';
  return (
    <Alert state={isTooLong ? 'warning' : 'danger'} visible label={sentenceOf(error)}>
      {isTooLong && (
        <p className="mt-8">
          <Button size="sm" variant="outline" onClick={onInstead}>
            Unduh sebagai CSV
          </Button>
        </p>
      )}
    </Alert>
  );
}

const Formats = ({
  value: chosen,
  onChange,
}: {
  value: Format;
  onChange: (to: Format) => void;
}) => {
  const name = useId();
  return (
    <fieldset className="grid gap-8 min-w-0">
      <legend className="mb-8 small strong">Format berkas</legend>
      {formats.map(({ value, label, note }) => (
        <label
          key={value}
          className={classes(
            'option grid align-center gap-x-12 min-h-52 columns-start py-8 px-12',
            styles['format'],
          )}
        >
          <input
            type="radio"
            name={name}
            value={value}
            checked={value === chosen}
            onChange={() => onChange(value)}
          />
          <span className="strong">{label}</span>
          <span className="small muted">{note}</span>
        </label>
      ))}
    </fieldset>
  );
};
