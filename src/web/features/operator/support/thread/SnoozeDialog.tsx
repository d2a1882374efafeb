import { useId, useState } from 'react';
import { civilDate, formatTime, WIB } from '#contract/base/time.ts';
import styles from '#web/features/operator/form/form.module.css';
import {
  inWib,
  SNOOZE_DAYS_MAX,
  snoozeFault,
} from '#web/features/operator/support/thread/snoozeTimes.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { DatePicker } from '#web/ui/date/DatePicker.tsx';
import { dateWords, plusDays } from '#web/ui/date/dates.ts';
import { FormActions } from '#web/ui/form/FormActions.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { nextTime } from '#web/ui/time/time.ts';
import { TimeSelect } from '#web/ui/time/TimeSelect.tsx';

type Props = {
  onClose: () => void;
  /** Its error is shown, and the dialog stays. */
  onSnooze: (until: Date) => Promise<void>;
};

export function SnoozeDialog({ onClose, onSnooze }: Props) {
  const id = useId();
  const [now] = useState(() => new Date());
  const today = civilDate(now, WIB);
  const days = { required: true, today, min: today, max: plusDays(today, SNOOZE_DAYS_MAX) };
  const [day, setDay] = useState<string | null>(today);
  const [time, setTime] = useState(
    () => nextTime(formatTime(now, WIB).replace('.', ':'), true) ?? '08:00:00',
  );
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const send = async () => {
    const until = inWib(day ?? '', time);
    const wrong = snoozeFault(until, new Date());
    setFault(wrong);
    if (wrong || busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await onSnooze(until);
    } catch (no) {
      setError(no);
    } finally {
      setBusy(false);
    }
  };
  const foot = (
    <FormActions form={id} busy={busy} onCancel={onClose}>
      Tunda
    </FormActions>
  );
  return (
    <Modal open onClose={onClose} title="Tunda sampai" size="sm" shape="sheet" footer={foot}>
      <form
        id={id}
        className={styles['form']}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <RefusalAlert error={error} />
        <DatePicker
          single
          autoApply
          label="Tanggal"
          labels={dateWords}
          value={day}
          onChange={setDay}
          {...days}
        />
        <TimeSelect
          half
          label="Jam (WIB)"
          value={time}
          onChange={setTime}
          error={fault}
          help="Pesan pelanggan memunculkannya lagi lebih awal."
        />
      </form>
    </Modal>
  );
}
