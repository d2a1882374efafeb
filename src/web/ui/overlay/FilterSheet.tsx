import { SlidersHorizontal } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button } from '#web/ui/button/Button.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';

type Props = {
  /** The title of the sheet, as in `Saring mutasi`. */
  title: string;
  /** Whether a filter is set. */
  active: boolean;
  children: ReactNode;
};

/** The filters of a list on phones: one button, which opens them in a sheet. */
export function FilterSheet({ title, active, children }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        square
        variant={active ? 'subtle' : 'outline'}
        tone={active ? 'primary' : 'neutral'}
        icon={<SlidersHorizontal size={18} />}
        aria-label={active ? 'Filter (aktif)' : 'Filter'}
        onClick={() => setOpen(true)}
      />
      <Modal
        open={open}
        onClose={() => setOpen(false)}
        title={title}
        footer={<Button onClick={() => setOpen(false)}>Lihat daftar</Button>}
      >
        {children}
      </Modal>
    </>
  );
}
