import { isolated } from '#contract/base/names.ts';
import { civilDate } from '#contract/base/time.ts';
import {
  saveView,
  VIEW_NAME_MAX,
  VIEWS_MAX,
  type MessageView,
} from '#contract/messages/history.ts';
import { filtersOf, type ViewSearch } from '#web/features/messages/views/views.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { FormModal } from '#web/ui/form/FormModal.tsx';
import { useActForm } from '#web/ui/form/useActForm.ts';
import { Select } from '#web/ui/select/Select.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

type Props = {
  search: ViewSearch;
  /** The view to rename; left out: a new one is saved, or another one gets these filters. */
  view?: MessageView | undefined;
  own: readonly MessageView[];
  onClose: () => void;
  onSaved: () => void;
};

export function SaveView({ search, view, own, onClose, onSaved }: Props) {
  const isFull = own.length >= VIEWS_MAX;
  const replaced = view ?? (isFull ? own[0] : undefined);
  const filters = filtersOf(search, civilDate(new Date()));
  const { form, onSubmit, busy, error } = useActForm(saveView, {
    initial: { name: replaced?.name ?? '', view_id: replaced?.id ?? '' },
    inputOf: ({ name, view_id }) => ({ name, ...filters, ...(view_id !== '' && { view_id }) }),
    onDone: ({ name }) => {
      toast(`Tampilan "${isolated(name)}" disimpan.`, { tone: 'success' });
      onSaved();
    },
    fieldOf: { view_name_taken: 'name' },
  });
  const replace = (id: string) => {
    form.set('view_id', id);
    form.set('name', own.find((one) => one.id === id)?.name ?? '');
  };
  return (
    <FormModal
      formRef={form.ref}
      shape="sheet"
      size="sm"
      onClose={onClose}
      title={view ? 'Ganti nama tampilan' : 'Simpan tampilan'}
      submit="Simpan"
      {...{ busy, onSubmit }}
    >
      <RefusalAlert error={error} fields={['name']} />
      {!view && own.length > 0 && (
        <Select
          label="Simpan sebagai"
          options={[
            ...(isFull ? [] : [{ value: '', label: 'Tampilan baru' }]),
            ...own.map(({ id, name }) => ({ value: id, label: `Ganti "${isolated(name)}"` })),
          ]}
          help={
            isFull
              ? `Sudah ada ${VIEWS_MAX} tampilan, jadi ini menggantikan salah satunya. Untuk yang baru, hapus satu dulu.`
              : undefined
          }
          value={form.values.view_id}
          onChange={({ target }) => replace(target.value)}
        />
      )}
      <TextField
        label="Nama"
        required
        autoComplete="off"
        maxLength={VIEW_NAME_MAX}
        help={
          filters.days === undefined
            ? 'Filter dan urutan yang sekarang ikut disimpan.'
            : 'Filter dan urutan ikut disimpan; tanggalnya bergeser sehingga selalu berakhir hari ini.'
        }
        {...form.field('name')}
      />
    </FormModal>
  );
}
