import type { ChannelName } from '#contract/tokens.ts';
import { KeyShown } from '#web/features/tokens/keys/KeyShown.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { Modal } from '#web/ui/overlay/Modal.tsx';

type Props = {
  title: string;
  secret: string;
  channel: ChannelName;
  note?: string;
  onClose: () => void;
  next?: { label: string; go: () => void };
};

/** Shows a key once; closing it asks for confirmation. */
export function KeyDialog({ title, secret, channel, note, onClose, next }: Props) {
  const leave = async () => {
    const sure = await confirm({
      title: 'Sudah menyimpan kuncinya?',
      children: <p>Setelah ditutup, kunci ini tidak dapat ditampilkan lagi.</p>,
      cancelText: 'Kembali',
      confirmText: 'Sudah, tutup',
      tone: 'primary',
    });
    if (sure) onClose();
  };
  const foot = (
    <>
      <Button variant={next ? 'outline' : 'solid'} onClick={onClose}>
        Sudah saya simpan
      </Button>
      {next && <Button onClick={next.go}>{next.label}</Button>}
    </>
  );
  return (
    <Modal open onClose={() => void leave()} title={title} size="lg" footer={foot}>
      <KeyShown secret={secret} channel={channel} {...(note === undefined ? {} : { note })} />
    </Modal>
  );
}
