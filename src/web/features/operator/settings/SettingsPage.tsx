import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type LiveSetting,
  type SettingGroup,
  listSettings,
  settingGroupLabel,
} from '#contract/operator/settings.ts';
import { actQuery } from '#web/features/operator/form/actQuery.ts';
import styles from '#web/features/operator/form/form.module.css';
import { Loaded } from '#web/features/operator/form/Loaded.tsx';
import { OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import {
  DecideDialog,
  ResetDialog,
  SettingDialog,
} from '#web/features/operator/settings/SettingDialog.tsx';
import { SellerGaps } from '#web/features/operator/settings/SellerGaps.tsx';
import { settingWords } from '#web/features/operator/settings/settingWords.ts';
import { Button } from '#web/ui/button/Button.tsx';
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
    <div className={styles['page']}>
      {Object.entries(settingGroupLabel).map(([group, label]) => (
        <Panel key={group} title={label}>
          {group === 'seller' && <SellerGaps />}
          <ul className={styles['rows']} aria-label={label}>
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
    </div>
  );
}

type SettingProps = { setting: LiveSetting; onOpen: (open: Open) => void };

function Setting({ setting, onOpen }: SettingProps) {
  const { name, label, help, kind, value, fallback, changed, waiting } = setting;
  const isSet = changed?.is_set === true;
  return (
    <li>
      <span className={styles['what']}>
        <strong>{label}</strong>
        <span className="num">{settingWords(kind, value)}</span>
        <span className={styles['small']}>{help}</span>
        <span className={styles['small']}>
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
        {waiting && (
          <Button
            variant="subtle"
            tone="neutral"
            size="sm"
            aria-label={`Batalkan perubahan ${label}`}
            onClick={() => onOpen({ name, how: 'refuse' })}
          >
            Batalkan
          </Button>
        )}
        {waiting?.can_approve && (
          <Button
            size="sm"
            aria-label={`Setujui perubahan ${label}`}
            onClick={() => onOpen({ name, how: 'approve' })}
          >
            Setujui
          </Button>
        )}
        {isSet && <StatusChip tone="info">Diubah</StatusChip>}
        {isSet && (
          <Button
            variant="subtle"
            tone="neutral"
            size="sm"
            aria-label={`Kembalikan ${label} ke bawaan`}
            onClick={() => onOpen({ name, how: 'reset' })}
          >
            Kembalikan ke bawaan
          </Button>
        )}
        <Button
          variant="outline"
          tone="neutral"
          size="sm"
          aria-label={`Ubah ${label}`}
          onClick={() => onOpen({ name, how: 'change' })}
        >
          Ubah
        </Button>
      </Row>
    </li>
  );
}

function Waiting({ setting: { kind, waiting } }: { setting: LiveSetting }) {
  if (!waiting) return null;
  return (
    <span className={styles['small']}>
      Menunggu: {settingWords(kind, waiting.value)}, diusulkan {waiting.by},{' '}
      <DateTime at={waiting.at} />: {waiting.reason}. Berlaku otomatis{' '}
      <DateTime at={waiting.effective_at} />.
      {waiting.can_approve
        ? ''
        : ' Yang menyetujuinya harus admin lain, yang tidak diundang pengusulnya dan tidak baru dalam tujuh hari.'}
    </span>
  );
}
