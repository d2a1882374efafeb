import {
  type LiveSetting,
  decideSetting,
  resetSetting,
  saveSetting,
} from '#contract/operator/settings.ts';
import { OperatorForm } from '#web/features/operator/form/OperatorForm.tsx';
import { useOperatorForm } from '#web/features/operator/form/useOperatorForm.tsx';
import { useGuardedClose } from '#web/ui/overlay/useGuardedClose.ts';
import { SettingField } from '#web/features/operator/settings/SettingField.tsx';
import { settingWords } from '#web/features/operator/settings/settingWords.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { Facts, Stack } from '#web/ui/panel/Panel.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

type Props = { setting: LiveSetting; onClose: () => void };

const REASON_HELP = 'Tercatat bersama nama Anda.';
const RAISING = 'Menaikkan nilainya meminta kata sandi Anda.';
const WAITS =
  'Kenaikan berlaku setelah disetujui admin lain, atau setelah 24 jam, dan diberitahukan kepada semua operator.';

/** Changes a setting; closing it with unsaved input asks first. */
export function SettingDialog({ setting, onClose }: Props) {
  const { name, label, kind, value: before, version, guarded, guards_money } = setting;
  const isRaised = (value: string) => guards_money && Number(value) > Number(before);
  const { form, onSubmit } = useOperatorForm(saveSetting, {
    initial: { value: before, reason: '' },
    inputOf: ({ value, reason }) => ({
      setting_id: name,
      version: String(version),
      value: value.trim(),
      reason,
    }),
    question: ({ value }) => ({
      title: `Ubah ${label}?`,
      text: `Dari "${settingWords(kind, before)}" menjadi "${settingWords(kind, value)}". ${isRaised(value) ? WAITS : 'Berlaku di semua server dalam dua detik.'}`,
      button: 'Simpan',
    }),
    said: ({ waiting }) => (waiting ? `${label} menunggu admin lain.` : `${label} disimpan.`),
    onDone: onClose,
  });
  const { values } = form;
  const isDirty = values.value !== before || values.reason !== '';
  const close = useGuardedClose(isDirty, onClose);
  return (
    <Modal open onClose={close} title={label} size={kind === 'hours' ? 'lg' : 'md'}>
      <OperatorForm
        form={form}
        onSubmit={onSubmit}
        reasonHelp={[REASON_HELP, guarded && RAISING, guards_money && WAITS]
          .filter(Boolean)
          .join(' ')}
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
      </OperatorForm>
    </Modal>
  );
}

/** Resets to the environment's value. */
export function ResetDialog({ setting, onClose }: Props) {
  const { name, label, kind, value, fallback, version } = setting;
  const { form, onSubmit } = useOperatorForm(resetSetting, {
    initial: { reason: '' },
    inputOf: ({ reason }) => ({ setting_id: name, version: String(version), reason }),
    question: () => ({
      title: `Kembalikan ${label} ke bawaan?`,
      text: `Nilainya kembali menjadi "${settingWords(kind, fallback)}".`,
      button: 'Kembalikan',
    }),
    said: ({ waiting }) =>
      waiting ? `${label} menunggu admin lain.` : `${label} kembali ke bawaan.`,
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
        <OperatorForm
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

type DecideProps = Props & { decision: 'approve' | 'refuse' };

export function DecideDialog({ setting, decision, onClose }: DecideProps) {
  const { name, label, kind, value, version, waiting } = setting;
  const isApproval = decision === 'approve';
  const { form, onSubmit } = useOperatorForm(decideSetting, {
    initial: { reason: '' },
    inputOf: ({ reason }) => ({ setting_id: name, version: String(version), decision, reason }),
    question: () => ({
      title: isApproval ? `Setujui perubahan ${label}?` : `Batalkan perubahan ${label}?`,
      text: isApproval
        ? `Nilainya menjadi "${settingWords(kind, waiting?.value ?? '')}" sekarang juga.`
        : `Nilainya tetap "${settingWords(kind, value)}".`,
      button: isApproval ? 'Setujui' : 'Batalkan perubahan',
    }),
    said: () => (isApproval ? `${label} berlaku.` : `Perubahan ${label} dibatalkan.`),
    onDone: onClose,
  });
  const close = useGuardedClose(form.values.reason !== '', onClose);
  return (
    <Modal open onClose={close} title={`Perubahan ${label}`}>
      <Stack>
        {waiting && (
          <Facts
            facts={[
              { term: 'Sekarang', is: settingWords(kind, value) },
              { term: 'Diusulkan', is: settingWords(kind, waiting.value) },
              { term: 'Oleh', is: waiting.by },
              { term: 'Alasan', is: waiting.reason },
              { term: 'Berlaku otomatis pada', is: <DateTime at={waiting.effective_at} /> },
            ]}
          />
        )}
        <OperatorForm
          form={form}
          onSubmit={onSubmit}
          reasonHelp={REASON_HELP}
          actions={
            <>
              <Button variant="outline" tone="neutral" onClick={close}>
                Kembali
              </Button>
              <Button type="submit">{isApproval ? 'Setujui' : 'Batalkan perubahan'}</Button>
            </>
          }
        />
      </Stack>
    </Modal>
  );
}
