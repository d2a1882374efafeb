import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { saveCanned, type CannedReply } from '#contract/operator/support.ts';
import styles from '#web/features/operator/desk/desk.module.css';
import { cannedQuery } from '#web/features/operator/support/queries.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { useActForm } from '#web/ui/form/useActForm.ts';
import type { Form } from '#web/ui/form/useForm.ts';
import { TextArea, TextField } from '#web/ui/text/TextField.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

type Props = {
  reply: CannedReply | undefined;
  /** Whether something stands here that is not saved. */
  onDirty: (isDirty: boolean) => void;
  onDone: () => void;
  onLeave: () => void;
};

/** Writes a canned reply; the name of one that stands stays, for operators know it by that. */
export function CannedForm({ reply, onDirty, onDone, onLeave }: Props) {
  const client = useQueryClient();
  const { form, onSubmit, busy, error } = useActForm(saveCanned, {
    initial: { name: reply?.name ?? '', text: reply?.text ?? '' },
    inputOf: (values) => values,
    onDone: (saved) => {
      client.setQueryData(
        cannedQuery.queryKey,
        (all) =>
          all &&
          [...all.filter(({ name }) => name !== saved.name), saved].toSorted((a, b) =>
            a.name < b.name ? -1 : 1,
          ),
      );
      toast(`/${saved.name} tersimpan.`, { tone: 'success' });
      onDone();
    },
  });
  useBegun(form, reply, onDirty);
  return (
    <form ref={form.ref} noValidate className={styles['form']} onSubmit={onSubmit}>
      <RefusalAlert error={error} fields={['name', 'text']} />
      <TextField
        label="Nama"
        name="name"
        required
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        prefix="/"
        maxLength={40}
        readOnly={reply !== undefined}
        help={
          reply
            ? 'Nama tetap; hapus dan buat baru untuk menggantinya.'
            : 'Yang diketik setelah garis miring, misalnya salam.'
        }
        value={form.values.name}
        error={form.errors.name}
        onChange={(event) => form.set('name', event.target.value)}
        onBlur={() => form.leave('name')}
      />
      <TextArea
        label="Jawaban"
        name="text"
        required
        rows={6}
        maxLength={4096}
        help="{nama} diganti nama pelanggan."
        value={form.values.text}
        error={form.errors.text}
        onChange={(event) => form.set('text', event.target.value)}
        onBlur={() => form.leave('text')}
      />
      <div className={styles['actions']}>
        <Button variant="outline" tone="neutral" onClick={onLeave}>
          Batal
        </Button>
        <Button type="submit" busy={busy}>
          Simpan
        </Button>
      </div>
    </form>
  );
}

type Values = { name: string; text: string };

/** Brings the focus to what is written first, for what opened the form is gone; reports whether anything is. */
function useBegun(
  { ref, values: { name, text } }: Form<Values>,
  reply: CannedReply | undefined,
  onDirty: (isDirty: boolean) => void,
): void {
  const first = reply ? 'textarea' : 'input';
  useEffect(() => ref.current?.querySelector<HTMLElement>(first)?.focus(), [ref, first]);
  const isDirty = name !== (reply?.name ?? '') || text !== (reply?.text ?? '');
  useEffect(() => onDirty(isDirty), [onDirty, isDirty]);
}
