import { type LiveSetting, resetSetting, saveSetting } from '#contract/operator/settings.ts';
import { DeskForm } from '#web/features/operator/desk/DeskForm.tsx';
import { useDeskForm } from '#web/features/operator/desk/useDeskForm.ts';
import { useGuardedClose } from '#web/ui/overlay/useGuardedClose.ts';
import { SettingField } from '#web/features/operator/settings/SettingField.tsx';
import { settingWords } from '#web/features/operator/settings/settingWords.ts';
import { useStartHere } from '#web/ui/form/useStartHere.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { Facts, Stack } from '#web/ui/panel/Panel.tsx';

type Props = { setting: LiveSetting; onClose: () => void };

const REASON_HELP = 'Tercatat bersama nama Anda.';

/** Changes a setting; what was typed is not lost by a slip. */
export function SettingDialog({ setting, onClose }: Props) {
  const { name, label, kind, value: before, version, guarded } = setting;
  const { form, onSubmit } = useDeskForm(saveSetting, {
    initial: { value: before, reason: '' },
    inputOf: ({ value, reason }) => ({
      setting_id: name,
      version: String(version),
      value: value.trim(),
      reason,
    }),
    question: ({ value }) => ({
      title: `Ubah ${label}?`,
      text: `Dari "${settingWords(kind, before)}" menjadi "${settingWords(kind, value)}". Berlaku di semua server dalam dua detik.`,
      button: 'Simpan',
    }),
    said: () => `${label} disimpan.`,
    onDone: onClose,
  });
  useStartHere(form.ref);
  const { values } = form;
  const isDirty = values.value !== before || values.reason !== '';
  const close = useGuardedClose(isDirty, onClose);
  return (
    <Modal open onClose={close} title={label} size={kind === 'hours' ? 'lg' : 'md'}>
      <DeskForm
        form={form}
        onSubmit={onSubmit}
        reasonHelp={
          guarded ? `${REASON_HELP} Menaikkan nilainya meminta kata sandi Anda.` : REASON_HELP
        }
        actions={
          <>
            <Button variant="outline" tone="neutral" onClick={close}>
              Batal
            </Button>
            <Button type="submit" disabled={values.value === before}>
              Simpan
            </Button>
          </>
        }
      >
        <SettingField
          setting={setting}
          value={values.value}
          error={form.errors.value}
          onChange={(value) => form.set('value', value)}
          onBlur={() => form.leave('value')}
        />
      </DeskForm>
    </Modal>
  );
}

/** Back to what the environment says. */
export function ResetDialog({ setting, onClose }: Props) {
  const { name, label, kind, value, fallback, version } = setting;
  const { form, onSubmit } = useDeskForm(resetSetting, {
    initial: { reason: '' },
    inputOf: ({ reason }) => ({ setting_id: name, version: String(version), reason }),
    question: () => ({
      title: `Kembalikan ${label} ke bawaan?`,
      text: `Nilainya kembali menjadi "${settingWords(kind, fallback)}".`,
      button: 'Kembalikan',
    }),
    said: () => `${label} kembali ke bawaan.`,
    onDone: onClose,
  });
  const close = useGuardedClose(form.values.reason !== '', onClose);
  return (
    <Modal open onClose={close} title={`Kembalikan ${label}`}>
      <Stack>
        <Facts
          facts={[
            { term: 'Sekarang', is: settingWords(kind, value) },
            { term: 'Bawaan', is: settingWords(kind, fallback) },
          ]}
        />
        <DeskForm
          form={form}
          onSubmit={onSubmit}
          reasonHelp={REASON_HELP}
          actions={
            <>
              <Button variant="outline" tone="neutral" onClick={close}>
                Batal
              </Button>
              <Button type="submit">Kembalikan ke bawaan</Button>
            </>
          }
        />
      </Stack>
    </Modal>
  );
}
