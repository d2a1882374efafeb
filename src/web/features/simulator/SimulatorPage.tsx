import { useQuery } from '@tanstack/react-query';
import { Link } from '#web/browser/router/Link.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { FlaskConical } from 'lucide-react';
import { useEffect } from 'react';
import { sentenceOf } from '#web/api/errors.ts';
import { Logo } from '#web/ui/brand/Logo.tsx';
import { NotFoundPage } from '#web/ui/page/NotFoundPage.tsx';
import { configQuery } from '#web/api/configQuery.ts';
import { useAuthState } from '#web/api/user.ts';
import { Bank } from '#web/features/simulator/Bank.tsx';
import { writtenPeer } from '#contract/messages/peer.ts';
import { initialPhone } from '#web/features/simulator/phones.ts';
import { PhoneView } from '#web/features/simulator/PhoneView.tsx';
import styles from '#web/features/simulator/simulator.module.css';
import { classes } from '#web/ui/classes.ts';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';
import { Spinner } from '#web/ui/button/Spinner.tsx';
import { TabLink, TabLinks } from '#web/ui/tabs/Tabs.tsx';

/**
 * Route `/simulator` (public): the phones and the bank of the simulated world. In an installation without them, the
 * address does not exist.
 */
export function SimulatorPage() {
  const config = useQuery(configQuery);
  if (config.isPending) return <Spinner screen />;
  if (config.isError) {
    return (
      <main id="isi" className={styles['main']}>
        <PageTitle>Simulator</PageTitle>
        <WentWrong message={sentenceOf(config.error)} onRetry={() => void config.refetch()} />
      </main>
    );
  }
  return config.data.simulator ? <Visit /> : <NotFoundPage />;
}

/** Without a phone in the address, waits for the visitor's own. */
function Visit() {
  const { state, user } = useAuthState();
  const { phone } = useSearch('/simulator');
  return phone === undefined && state === 'asking' ? (
    <Spinner screen />
  ) : (
    <World own={user?.phone} />
  );
}

function World({ own }: { own: string | undefined }) {
  const { phone: requested, bank, amount } = useSearch('/simulator');
  const phone = initialPhone(requested, own);
  const written = writtenPeer(phone);
  useEffect(() => {
    // The address names the phone, so that it can be bookmarked and shared.
    if (requested === written) return;
    void navigate({ to: '/simulator', change: { phone: written }, replace: true });
  }, [requested, written]);
  return (
    <>
      <header>
        <p
          className={classes(
            'row justify-center gap-8 small strong leading-ui solid-warning',
            styles['banner'],
          )}
        >
          <FlaskConical size={16} aria-hidden="true" />
          Ini simulasi: pesan tidak sampai ke orang sungguhan dan uang tidak berpindah.
        </p>
        <div
          className={classes(
            'row wrap justify-between gap-8 gap-x-24 mx-auto',
            styles['simulatorPageHead'],
          )}
        >
          <Link
            to="/"
            className={classes('py-4 px-8 rounded no-underline', styles['home'])}
            aria-label="Kabari, beranda"
          >
            <Logo />
          </Link>
          <TabLinks label="Bagian simulator">
            <TabLink to="/simulator" search={{ phone: written }} current={!bank}>
              Ponsel
            </TabLink>
            <TabLink
              to="/simulator"
              search={{ phone: written, bank: '1' }}
              current={bank !== undefined}
            >
              Bank
            </TabLink>
          </TabLinks>
        </div>
      </header>
      <main id="isi" tabIndex={-1} className={styles['main']}>
        <div className="mb-20">
          <PageTitle>{bank ? 'Bank simulasi' : 'Ponsel simulasi'}</PageTitle>
        </div>
        {bank ? <Bank key={amount} amount={amount} /> : <PhoneView key={phone} phone={phone} />}
      </main>
    </>
  );
}
