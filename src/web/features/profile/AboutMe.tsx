import { lazy, Suspense, useState } from 'react';
import { updateUser } from '#contract/people.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useTakeUser } from '#web/features/profile/preferences/preferences.ts';
import { useAct } from '#web/api/query.ts';
import { useActForm } from '#web/ui/form/useActForm.ts';
import { useUser } from '#web/api/user.ts';
import { Section } from '#web/features/profile/Section.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Avatar } from '#web/ui/avatar/Avatar.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { TextField } from '#web/ui/text/TextField.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

const AvatarDialog = lazy(async () => ({
  default: (await import('#web/features/profile/avatar/AvatarDialog.tsx')).AvatarDialog,
}));

export const AboutMe = () => (
  <Section id="profil" title="Data diri">
    <Picture />
    <Names />
  </Section>
);

function Picture() {
  const user = useUser();
  const takeUser = useTakeUser();
  const update = useAct(updateUser);
  const [choosing, setChoosing] = useState(false);
  const remove = () =>
    confirm({
      title: 'Hapus foto profil?',
      children: <p>Inisial nama Anda tampil sebagai gantinya.</p>,
      cancelText: 'Batal',
      confirmText: 'Hapus',
      sentenceOf,
      onConfirm: async () => takeUser(await update.perform({ avatar: '' })),
    });
  return (
    <div className="row gap-16">
      <Avatar name={user.name} size="xl" {...(user.avatar !== null && { src: user.avatar })} />
      <div className="row wrap gap-8 gap-x-12">
        <Button variant="outline" tone="neutral" onClick={() => setChoosing(true)}>
          {user.avatar === null ? 'Unggah foto' : 'Ganti foto'}
        </Button>
        {user.avatar !== null && (
          <Button variant="link" tone="danger" onClick={() => void remove()}>
            Hapus foto
          </Button>
        )}
      </div>
      {choosing && (
        <Suspense>
          <AvatarDialog onClose={() => setChoosing(false)} />
        </Suspense>
      )}
    </div>
  );
}

function Names() {
  const user = useUser();
  const takeUser = useTakeUser();
  const { form, onSubmit, busy, error } = useActForm(updateUser, {
    initial: { name: user.name, email: user.email ?? '' },
    // An unchanged name is not validated again: it may be older than the rules for names.
    inputOf: ({ name, email }) => ({ ...(name !== user.name && { name }), email }),
    onDone: (saved) => {
      takeUser(saved);
      toast('Profil disimpan.', { tone: 'success' });
    },
  });
  return (
    <form ref={form.ref} noValidate className="stack gap-16" onSubmit={onSubmit}>
      <RefusalAlert error={error} fields={['name', 'email']} />
      <TextField
        label="Nama Anda atau nama usaha"
        required
        name="name"
        autoComplete="name"
        value={form.values.name}
        error={form.errors.name}
        onChange={(event) => form.set('name', event.target.value)}
        onBlur={() => form.leave('name')}
      />
      <TextField
        label="Alamat email"
        type="email"
        name="email"
        autoComplete="email"
        help="Boleh dikosongkan."
        value={form.values.email}
        error={form.errors.email}
        onChange={(event) => form.set('email', event.target.value)}
        onBlur={() => form.leave('email')}
      />
      <div>
        <Button type="submit" busy={busy}>
          Simpan profil
        </Button>
      </div>
    </form>
  );
}
