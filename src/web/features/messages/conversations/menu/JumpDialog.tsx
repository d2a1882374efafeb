import { civilDate } from '#contract/base/time.ts';
import { useUser } from '#web/api/user.ts';
import { Chooser, ChooserFoot, usePicking, type Picking } from '#web/ui/date/DateChooser.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';

type Props = {
  /** Goes to a day, `YYYY-MM-DD`, in the person's zone. */
  onGoTo: (day: string) => void;
  onClose: () => void;
};

const labels = { Apply: 'Lompat', Cancel: 'Batal' };

export function JumpDialog({ onGoTo, onClose }: Props) {
  const today = civilDate(new Date(), useUser().timezone);
  const bounds = { max: today };
  const goTo = (day: string | null) => {
    onClose();
    if (day !== null) onGoTo(day);
  };
  const inField = usePicking({
    label: 'Tanggal',
    single: true,
    value: null,
    onChange: goTo,
    autoApply: true,
    today,
    ...bounds,
  });
  // It opens without a field.
  const picking: Picking = { ...inField, calendars: 'entered', cancel: onClose };
  const parts = { picking, single: true, labels };
  return (
    <Modal
      open
      shape="sheet"
      size="sm"
      onClose={onClose}
      title="Lompat ke tanggal"
      footer={<ChooserFoot {...parts} />}
    >
      <Chooser {...parts} bounds={bounds} />
    </Modal>
  );
}
