import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { REPLY_MAX, type QuickReply } from '#contract/messages/sending.ts';
import { repliesQuery, type Replies } from '#web/ui/chat/replies/stored.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { useActForm } from '#web/ui/form/useActForm.ts';
import type { Form } from '#web/ui/form/useForm.ts';
import { TextArea, TextField } from '#web/ui/text/TextField.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

type Props = {
  of: Replies;
  reply: QuickReply | undefined;
  /** True while there are unsaved changes. */
  onDirty: (isDirty: boolean) => void;
  onDone: () => void;
  onLeave: () => void;
};

/** The form of a reply; an existing reply keeps its name, by which people know it. */
export function ReplyForm({ of, reply, onDirty, onDone, onLeave }: Props) {
  const client = useQueryClient();
  const { form, onSubmit, busy, error } = useActForm(of.save, {
    initial: { name: reply?.name ?? '', text: reply?.text ?? '' },
    inputOf: (values) => values,
    onDone: (saved) => {
      client.setQueryData(
        repliesQuery(of).queryKey,
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
    <form ref={form.ref} noValidate className="stack gap-16" onSubmit={onSubmit}>
      <RefusalAlert error={error} fields={['name', 'text']} />
      <TextField
        label="Nama"
        name="name"
        required
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        prefix="/"
        maxLength={REPLY_MAX.name}
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
        label="Isi"
        name="text"
        required
        rows={6}
        counter
        maxLength={REPLY_MAX.text}
        help={`{nama} diganti ${of.words.person}.`}
        value={form.values.text}
        error={form.errors.text}
        onChange={(event) => form.set('text', event.target.value)}
        onBlur={() => form.leave('text')}
      />
      <div className="flex wrap justify-end gap-8">
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

/** Focuses the first field, because the button that opened the form is gone; reports unsaved changes. */
function useBegun(
  { ref, values: { name, text } }: Form<Values>,
  reply: QuickReply | undefined,
  onDirty: (isDirty: boolean) => void,
): void {
  const first = reply ? 'textarea' : 'input';
  useEffect(() => ref.current?.querySelector<HTMLElement>(first)?.focus(), [ref, first]);
  const isDirty = name !== (reply?.name ?? '') || text !== (reply?.text ?? '');
  useEffect(() => onDirty(isDirty), [onDirty, isDirty]);
}
