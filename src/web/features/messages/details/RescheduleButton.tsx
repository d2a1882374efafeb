import { CalendarClock } from 'lucide-react';
import { useState } from 'react';
import type { MessageDetail } from '#contract/messages.ts';
import { rescheduleMessage } from '#contract/messages/history.ts';
import { civilDate, clockTime, formatDateTimeZone, instantIn } from '#contract/base/time.ts';
import { useAct } from '#web/api/query.ts';
import { useUser } from '#web/api/user.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { DatePicker } from '#web/ui/date/DatePicker.tsx';
import { dateWords } from '#web/ui/date/dates.ts';
import { FormModal } from '#web/ui/form/FormModal.tsx';
import { TimeSelect } from '#web/ui/time/TimeSelect.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

type Props = { message: MessageDetail; onMoved: () => void };

export function RescheduleButton({ message, onMoved }: Props) {
  const [open, setOpen] = useState(false);
  const { scheduled_at: at } = message;
  if (message.status !== 'scheduled' || at === null) return null;
  return (
    <>
      <Button variant="subtle" icon={<CalendarClock size={18} />} onClick={() => setOpen(true)}>
        Ubah jadwal
      </Button>
      {open && (
        <RescheduleDialog
          id={message.id}
          at={at}
          onClose={() => setOpen(false)}
          onMoved={onMoved}
        />
      )}
    </>
  );
}

type DialogProps = { id: string; at: Date; onClose: () => void; onMoved: () => void };

function RescheduleDialog({ id, at, onClose, onMoved }: DialogProps) {
  const zone = useUser().timezone;
  const [now] = useState(() => new Date());
  const today = civilDate(now, zone);
  const [day, setDay] = useState<string | null>(civilDate(at, zone));
  const [time, setTime] = useState(`${clockTime(at, zone)}:00`);
  const [fault, setFault] = useState<string>();
  const move = useAct(rescheduleMessage);
  const zoneName = formatDateTimeZone(at, zone).split(' ').at(-1);
  const send = async () => {
    const next = instantIn(day ?? today, time, zone);
    const isPast = next <= new Date();
    setFault(isPast ? 'Pilih waktu yang belum lewat.' : undefined);
    if (isPast || move.busy) return;
    try {
      await move.perform({ message_id: id, send_at: next.toISOString() });
    } catch {
      return;
    }
    toast(`Jadwal diubah: ${formatDateTimeZone(next, zone)}.`, { tone: 'success' });
    onClose();
    onMoved();
  };
  return (
    <FormModal
      onClose={onClose}
      title="Ubah jadwal"
      size="sm"
      shape="sheet"
      submit="Simpan jadwal"
      busy={move.busy}
      onSubmit={() => void send()}
    >
      <RefusalAlert error={move.error} />
      <DatePicker
        single
        autoApply
        required
        label="Tanggal"
        labels={dateWords}
        today={today}
        min={today}
        value={day}
        onChange={setDay}
      />
      <TimeSelect half label={`Jam (${zoneName})`} value={time} onChange={setTime} error={fault} />
    </FormModal>
  );
}
