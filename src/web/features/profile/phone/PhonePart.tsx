import { lazy, Suspense, useState } from 'react';
import { formatPhone } from '#contract/base/phone.ts';
import { useUser } from '#web/api/user.ts';
import { PHONE_CODES } from '#web/features/profile/phone/phoneCodes.ts';
import styles from '#web/features/profile/profile.module.css';
import { classes } from '#web/ui/classes.ts';
import { Section } from '#web/features/profile/Section.tsx';
import { loadSentCodes } from '#web/features/profile/otp/sentCodes.ts';
import { Button } from '#web/ui/button/Button.tsx';

const PhoneDialog = lazy(async () => ({
  default: (await import('#web/features/profile/phone/PhoneDialog.tsx')).PhoneDialog,
}));

export function PhonePart() {
  const { phone } = useUser();
  const [changing, setChanging] = useState(false);
  const pendingCode = loadSentCodes(PHONE_CODES, 2)?.[1];
  return (
    <Section
      id="ponsel"
      title="Nomor ponsel"
      about="Dipakai untuk masuk dan menerima kode verifikasi."
    >
      <div className="row wrap justify-between gap-10 gap-x-16">
        <div>
          <p className={classes('strong num', styles['strong'])}>{formatPhone(phone)}</p>
          {pendingCode && !changing && (
            <p className="small faint leading-ui">
              Penggantian ke {formatPhone(pendingCode.phone)} menunggu kode.
            </p>
          )}
        </div>
        <Button variant="outline" tone="neutral" onClick={() => setChanging(true)}>
          {pendingCode ? 'Lanjutkan penggantian' : 'Ganti nomor'}
        </Button>
      </div>
      {changing && (
        <Suspense>
          <PhoneDialog onClose={() => setChanging(false)} />
        </Suspense>
      )}
    </Section>
  );
}
