import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type LiveSetting,
  type SettingGroup,
  listSettings,
  settingGroupLabel,
} from '#contract/operator/settings.ts';
import styles from '#web/features/operator/operator.module.css';
import { classes } from '#web/ui/classes.ts';
import { Loaded, OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import { actQuery } from '#web/features/operator/operatorQuery.ts';
import {
  DecideDialog,
  ResetDialog,
  SettingDialog,
} from '#web/features/operator/settings/SettingDialog.tsx';
import { SellerGaps } from '#web/features/operator/settings/SellerGaps.tsx';
import { settingWords } from '#web/features/operator/settings/settingWords.ts';
import { Button, type ButtonLook } from '#web/ui/button/Button.tsx';
import { Panel, Row } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

/** Route `/operator/pengaturan`: settings that can change at runtime. */
export function SettingsPage() {
  const settings = useQuery(actQuery(listSettings, {}));
  return (
    <OperatorFrame
      title="Pengaturan"
      context="Berlaku di semua server dalam dua detik, dan menggantikan isi berkas .env sampai dikembalikan."
    >
      <Loaded query={settings} lines={12}>
        {(data) => <Groups settings={data.settings} />}
      </Loaded>
    </OperatorFrame>
  );
}

type Open = { name: string; how: 'change' | 'reset' | 'approve' | 'refuse' };

function Groups({ settings }: { settings: readonly LiveSetting[] }) {
  const [open, setOpen] = useState<Open>();
  const opened = settings.find(({ name }) => name === open?.name);
  const close = () => setOpen(undefined);
  return (
    <>
      {Object.entries(settingGroupLabel).map(([group, label]) => (
        <Panel key={group} title={label}>
          {group === 'seller' && <SellerGaps />}
          <ul className={classes('stack plain-list', styles['rows'])} aria-label={label}>
            {settings
              .filter((one) => one.group === (group as SettingGroup))
              .map((one) => (
                <Setting key={one.name} setting={one} onOpen={setOpen} />
              ))}
          </ul>
        </Panel>
      ))}
      {opened && open?.how === 'change' && <SettingDialog setting={opened} onClose={close} />}
      {opened && (open?.how === 'approve' || open?.how === 'refuse') && (
        <DecideDialog setting={opened} decision={open.how} onClose={close} />
      )}
      {opened && open?.how === 'reset' && <ResetDialog setting={opened} onClose={close} />}
    </>
  );
}

type SettingProps = { setting: LiveSetting; onOpen: (open: Open) => void };

function Setting({ setting, onOpen }: SettingProps) {
  const { name, label, help, kind, value, fallback, changed, waiting } = setting;
  const isSet = changed?.is_set === true;
  const button = (how: Open['how'], words: string, spoken: string, look?: ButtonLook) => (
    <Button size="sm" aria-label={spoken} onClick={() => onOpen({ name, how })} {...look}>
      {words}
    </Button>
  );
  return (
    <li>
      <span className={styles['what']}>
        <strong>{label}</strong>
        <span className="num">{settingWords(kind, value)}</span>
        <span className="small faint regular">{help}</span>
        <span className="small faint regular">
          {isSet ? `Bawaan: ${settingWords(kind, fallback)}. ` : ''}
          {changed && (
            <>
              {isSet ? 'Diubah' : 'Dikembalikan ke bawaan'} oleh {changed.by},{' '}
              <DateTime at={changed.at} />: {changed.reason}
            </>
          )}
        </span>
        <Waiting setting={setting} />
      </span>
      <Row end>
        {waiting && <StatusChip tone="warning">Menunggu</StatusChip>}
        {waiting && button('refuse', 'Batalkan', `Batalkan perubahan ${label}`, faint)}
        {waiting?.can_approve && button('approve', 'Setujui', `Setujui perubahan ${label}`)}
        {isSet && <StatusChip tone="info">Diubah</StatusChip>}
        {isSet && button('reset', 'Kembalikan ke bawaan', `Kembalikan ${label} ke bawaan`, faint)}
        {button('change', 'Ubah', `Ubah ${label}`, { variant: 'outline', tone: 'neutral' })}
      </Row>
    </li>
  );
}

const faint: ButtonLook = { variant: 'subtle', tone: 'neutral' };

function Waiting({ setting: { kind, waiting } }: { setting: LiveSetting }) {
  if (!waiting) return null;
  return (
    <span className="small faint regular">
      Menunggu: {settingWords(kind, waiting.value)}, diusulkan {waiting.by},{' '}
      <DateTime at={waiting.at} />: {waiting.reason}. Berlaku otomatis{' '}
      <DateTime at={waiting.effective_at} />.
      {waiting.can_approve
        ? ''
        : ' Yang menyetujuinya harus admin lain, yang tidak diundang pengusulnya dan tidak baru dalam tujuh hari.'}
    </span>
  );
}
