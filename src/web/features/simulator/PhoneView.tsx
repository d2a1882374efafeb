import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { sentenceOf } from '#web/api/errors.ts';
import { FixedPhones } from '#web/features/simulator/FixedPhones.tsx';
import { Phone } from '#web/features/simulator/phone/Phone.tsx';
import { PhoneChooser } from '#web/features/simulator/PhoneChooser.tsx';
import styles from '#web/features/simulator/simulator.module.css';
import { classes } from '#web/ui/classes.ts';
import { rememberPhone } from '#web/features/simulator/phones.ts';
import { phoneQuery } from '#web/features/simulator/queries.ts';
import { Switches } from '#web/features/simulator/Switches.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';

export function PhoneView({ phone }: { phone: string }) {
  const { data, error, refetch } = useQuery(phoneQuery(phone));
  useEffect(() => rememberPhone(phone), [phone]);
  return (
    <div className={classes('stack gap-28', styles['desk'])}>
      <PhoneChooser phone={phone} />
      <div className={classes('min-w-0 w-full', styles['phoneViewPhone'])}>
        {data && <Phone phone={data} />}
        {!data && (
          <div
            className={classes('grid content-start border surface', styles['waiting'])}
            aria-busy={!error}
          >
            {error ? (
              <WentWrong message={sentenceOf(error)} onRetry={() => void refetch()} />
            ) : (
              <Skeleton lines={5} height="2em" />
            )}
          </div>
        )}
      </div>
      <div className="grid content-start gap-28 min-w-0">
        <Panel title="Keadaan ponsel">
          {data ? (
            <>
              <p className="mb-4">
                {data.linked_to.length > 0 ? (
                  <>
                    <StatusChip tone="success">Tersambung</StatusChip> ke token{' '}
                    <strong>{data.linked_to.join(', ')}</strong>
                  </>
                ) : (
                  <StatusChip>Belum tersambung ke token</StatusChip>
                )}
              </p>
              {data.fixed_outcome && <p className={styles['fixed']}>{data.fixed_outcome}</p>}
              <Switches phone={data} />
            </>
          ) : (
            !error && <Skeleton lines={4} />
          )}
        </Panel>
        <FixedPhones />
      </div>
    </div>
  );
}
