import { Download, Printer } from 'lucide-react';
import { formatPhone } from '#contract/base/phone.ts';
import { renewRecoveryCodes } from '#contract/second-factor.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { useUser } from '#web/api/user.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import styles from '#web/features/operator/operator.module.css';
import { type PartProps, useRefresh } from '#web/features/operator/security/factors.tsx';
import { classes } from '#web/ui/classes.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { CopyButton } from '#web/ui/copy/CopyField.tsx';
import { saveFile } from '#web/ui/copy/saveFile.ts';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { Panel, Row, Stack } from '#web/ui/panel/Panel.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

/** At this number or below, new ones should be made. */
const FEW = 3;

export function CodesPart({ factors: { recovery }, withFactor, onCodes }: PartProps) {
  const renew = useAct(renewRecoveryCodes);
  const refresh = useRefresh();
  const ask = async () => {
    let codes: readonly string[] | null = null;
    const agreed = await confirm({
      title: 'Buat kode cadangan baru?',
      children: (
        <>
          <p>Semua kode cadangan yang lama tidak berlaku lagi.</p>
          <PasswordQuestion of={renewRecoveryCodes} />
        </>
      ),
      cancelText: 'Batal',
      confirmText: 'Buat kode baru',
      tone: 'primary',
      sentenceOf,
      onConfirm: async () => {
        codes = (await withFactor(() => renew.perform({}))).recovery_codes;
      },
    });
    if (!agreed) return;
    refresh();
    onCodes(codes);
  };
  const left = recovery?.left ?? 0;
  return (
    <Panel title="Kode cadangan">
      <Stack>
        <Alert
          state="warning"
          visible={left <= FEW}
          label={
            left === 0
              ? 'Kode cadangan Anda habis. Buat yang baru supaya tetap dapat masuk bila ponsel hilang.'
              : `Tinggal ${left} kode cadangan. Buat yang baru sebelum habis.`
          }
        />
        <p className="muted">
          Untuk masuk bila ponsel atau perangkat Anda tidak ada. Tersisa <strong>{left}</strong>{' '}
          dari 10 kode
          {recovery && (
            <>
              , dibuat <DateTime at={new Date(recovery.made_at)} />
            </>
          )}
          .
        </p>
        <div>
          <Button variant="outline" tone="neutral" onClick={() => void ask()}>
            Buat kode baru
          </Button>
        </div>
      </Stack>
    </Panel>
  );
}

type DialogProps = { codes: readonly string[]; onClose: () => void };

// Prevents an Enter repeated after the code from closing the dialog: `<dialog>` focuses the element with the attribute.
const startHere = (codes: HTMLElement | null) => codes?.setAttribute('autofocus', '');

/**
 * Shown once, to copy, save or print. Leaving without confirming that they are saved asks first.
 */
export function CodesDialog({ codes, onClose }: DialogProps) {
  const phone = formatPhone(useUser().phone);
  const save = () => {
    const text = `Kode cadangan Kabari untuk ${phone}\nSetiap kode berlaku satu kali.\n\n${codes.join('\n')}\n`;
    saveFile('kode-cadangan-kabari.txt', new Blob([text], { type: 'text/plain' }));
  };
  const ask = async () => {
    const leaves = await confirm({
      title: 'Kode sudah Anda simpan?',
      children: 'Kode ini tidak dapat ditunjukkan lagi.',
      cancelText: 'Lihat lagi',
      confirmText: 'Sudah, tutup',
      tone: 'primary',
    });
    if (leaves) onClose();
  };
  return (
    <Modal
      open
      onClose={() => void ask()}
      title="Simpan kode cadangan Anda"
      footer={<Button onClick={onClose}>Sudah saya simpan</Button>}
    >
      <div className={styles['form']}>
        <p>
          Dengan salah satu kode ini Anda dapat masuk bila ponsel atau perangkat Anda hilang. Setiap
          kode berlaku satu kali. <strong>Kode ini hanya ditunjukkan sekarang.</strong>
        </p>
        <div
          ref={startHere}
          tabIndex={-1}
          className={classes('p-16 border rounded sunken', styles['sheet'])}
        >
          <p className={styles['paper']}>Kode cadangan Kabari untuk {phone}</p>
          <ul
            className={classes('grid gap-10 gap-x-20 large plain-list', styles['codes'])}
            aria-label="Kode cadangan"
          >
            {codes.map((code) => (
              <li key={code}>{code}</li>
            ))}
          </ul>
        </div>
        <Row>
          <CopyButton value={codes.join('\n')} />
          <Button
            size="sm"
            variant="outline"
            tone="neutral"
            icon={<Download size={16} />}
            onClick={save}
          >
            Unduh
          </Button>
          <Button
            size="sm"
            variant="outline"
            tone="neutral"
            icon={<Printer size={16} />}
            onClick={() => window.print()}
          >
            Cetak
          </Button>
        </Row>
      </div>
    </Modal>
  );
}
