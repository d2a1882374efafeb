import { useQuery, useQueries, useQueryClient } from '@tanstack/react-query';
import { Link } from '#web/browser/router/Link.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { FlaskConical, ChevronDown } from 'lucide-react';
import { useEffect, useState, type FormEvent } from 'react';
import { Logo } from '#web/ui/brand/Logo.tsx';
import { NotFoundPage } from '#web/ui/page/NotFoundPage.tsx';
import { configQuery } from '#web/api/configQuery.ts';
import { useAuthState } from '#web/api/user.ts';
import { writtenPeer } from '#contract/messages/peer.ts';
import {
  initialPhone,
  rememberPhone,
  fixedPhones,
  readPhone,
  rememberedPhones,
  withPhone,
} from '#web/features/simulator/phones.ts';
import styles from '#web/features/simulator/simulator.module.css';
import { classes } from '#web/ui/classes.ts';
import { WentWrong, EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';
import { Spinner } from '#web/ui/button/Spinner.tsx';
import { TabLink, TabLinks } from '#web/ui/tabs/Tabs.tsx';
import { formatRupiah } from '#contract/base/money.ts';
import {
  simulatedTransfer,
  simulatedSwitch,
  type SimulatedPhone,
  simulatedPayment,
} from '#contract/simulator.ts';
import { formatTime } from '#contract/base/time.ts';
import type { OutputOf } from '#contract/base/act.ts';
import { useAct } from '#web/api/query.ts';
import { useActForm } from '#web/ui/form/useActForm.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { AmountField } from '#web/ui/money/CurrencyField.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';
import { Phone } from '#web/features/simulator/phone/Phone.tsx';
import { phoneQuery, outcomeQuery } from '#web/features/simulator/queries.ts';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { formatPhone } from '#contract/base/phone.ts';
import { HomeTelephoneField } from '#web/ui/phone/TelephoneField.tsx';
import { Checkbox } from '#web/ui/form/Checkbox.tsx';
import { listTopups, type Topup, topupMethodLabel } from '#contract/saldo.ts';
import { perform } from '#web/api/act.ts';
import { refusalCode } from '#web/api/errors.ts';
import { sessionToken } from '#web/browser/session.ts';
import { Countdown } from '#web/ui/time/Countdown.tsx';

/**
 * Route `/simulator` (public): the phones and the bank of the simulated world. In an installation without them, the
 * address does not exist.
 */
export function SimulatorPage() {
  const config = useQuery(configQuery);
  if (config.isPending) return <Spinner screen />;
  if (config.isError) {
    return (
      <main id="isi" className={classes('mx-auto', styles['main'])}>
        <PageTitle>Simulator</PageTitle>
        <WentWrong query={config} />
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
          <FlaskConical size={16} />
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
      <main id="isi" tabIndex={-1} className={classes('mx-auto', styles['main'])}>
        <div className="mb-20">
          <PageTitle>{bank ? 'Bank simulasi' : 'Ponsel simulasi'}</PageTitle>
        </div>
        {bank ? <Bank key={amount} amount={amount} /> : <PhoneView key={phone} phone={phone} />}
      </main>
    </>
  );
}

type Transfer = OutputOf<typeof simulatedTransfer> & { sender: string; at: Date };

function Bank({ amount }: { amount: number | undefined }) {
  const [transfers, setTransfers] = useState<readonly Transfer[]>([]);
  return (
    <div className={classes('stack gap-32', styles['bank'])}>
      <Panel title="Kirim transfer" look="card">
        <TransferForm
          initialAmount={amount}
          onDone={(done) => setTransfers((before) => [done, ...before])}
        />
      </Panel>
      <div className="stack gap-32">
        <Gateway />
        <Panel title="Transfer tadi">
          <p role="status" className="sr-only">
            {transfers[0] && transferResult(transfers[0])}
          </p>
          {transfers.length === 0 ? (
            <EmptyState title="Transfer yang Anda kirim akan tampil di sini." />
          ) : (
            <ul className="grid border-t">
              {transfers.map((transfer) => (
                <Line key={transfer.reference} transfer={transfer} />
              ))}
            </ul>
          )}
        </Panel>
      </div>
    </div>
  );
}

type FormProps = { initialAmount: number | undefined; onDone: (transfer: Transfer) => void };

function TransferForm({ initialAmount, onDone }: FormProps) {
  const { form, onSubmit, busy, error } = useActForm(simulatedTransfer, {
    initial: {
      amount: initialAmount === undefined ? '' : String(initialAmount),
      sender: 'Nasabah Simulasi',
    },
    inputOf: (values) => values,
    onDone: (done, { values, set }) => {
      onDone({ ...done, sender: values.sender, at: new Date() });
      // A second press must not send the same money twice.
      set('amount', '');
    },
  });
  return (
    <form ref={form.ref} noValidate className="grid gap-16" onSubmit={onSubmit}>
      <p className="muted">
        Ke rekening Kabari. Isi saldo yang menunggu menjadi lunas bila jumlahnya sama persis.
      </p>
      <RefusalAlert error={error} fields={['amount', 'sender']} />
      <AmountField label="Jumlah" size="xl" required indonesianSuffixes {...form.field('amount')} />
      <TextField
        label="Nama pengirim"
        autoComplete="off"
        required
        maxLength={60}
        {...form.field('sender')}
      />
      <Button type="submit" size="lg" block busy={busy}>
        Kirim transfer
      </Button>
    </form>
  );
}

const transferResult = ({ amount, matched }: Transfer): string =>
  matched
    ? `Transfer ${formatRupiah(amount)} cocok dengan isi saldo yang menunggu.`
    : `Transfer ${formatRupiah(amount)} tidak cocok dengan isi saldo mana pun.`;

const Line = ({ transfer }: { transfer: Transfer }) => (
  <li className="grid gap-2 gap-x-12 columns-end py-12 border-b">
    <span className="large strong">
      <Money amount={transfer.amount} />
    </span>
    <StatusChip tone={transfer.matched ? 'success' : 'warning'}>
      {transfer.matched ? 'Cocok, lunas' : 'Tidak cocok'}
    </StatusChip>
    <span className="col-all small faint break-anywhere">
      {transfer.sender} · {formatTime(transfer.at)} · {transfer.reference}
    </span>
    <span className="col-all small faint break-anywhere">
      {transfer.matched
        ? 'Isi saldo yang menunggu sejumlah ini sudah lunas.'
        : 'Tidak ada isi saldo yang menunggu sejumlah ini. Operator melihatnya di mutasi bank.'}
    </span>
  </li>
);

function PhoneView({ phone }: { phone: string }) {
  const { data, error, refetch } = useQuery(phoneQuery(phone));
  useEffect(() => rememberPhone(phone), [phone]);
  return (
    <div className={classes('stack gap-24', styles['desk'])}>
      <PhoneChooser phone={phone} />
      <div className={classes('min-w-0 w-full', styles['phoneViewPhone'])}>
        {data && <Phone phone={data} />}
        {!data && (
          <div
            className={classes('grid content-start border surface', styles['waiting'])}
            aria-busy={!error}
          >
            {error ? <WentWrong query={{ error, refetch }} /> : <Skeleton lines={5} height="2em" />}
          </div>
        )}
      </div>
      <div className="grid content-start gap-24 min-w-0">
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
              {data.fixed_outcome && (
                <p className={classes('rounded', styles['fixed'])}>{data.fixed_outcome}</p>
              )}
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

/** The numbers with fixed outcomes, which are read from the network itself. */
function FixedPhones() {
  const [open, setOpen] = useState(false);
  const outcomes = useQueries({
    queries: fixedPhones.map((phone) => ({ ...outcomeQuery(phone), enabled: open })),
  });
  return (
    <details className="border-y" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary
        className={classes(
          'row justify-between gap-16 pointer plain-list py-10 no-marker',
          styles['summary'],
        )}
      >
        <span>
          <strong>Nomor dengan hasil tetap</strong>
          <span className="block small faint">Untuk menguji sistem Anda sendiri</span>
        </span>
        <ChevronDown size={18} className="chevron" />
      </summary>
      <dl className={classes('grid gap-10 mb-16', styles['list'])}>
        {fixedPhones.map((phone, index) => (
          <div key={phone}>
            <dt className="strong">
              <Link to="/simulator" search={{ phone }} resetScroll={false} className="num">
                {phone}
              </Link>
            </dt>
            <dd className="small muted">
              {outcomes[index]?.data ??
                (outcomes[index]?.isError ? 'Keterangan belum dapat dimuat.' : <Skeleton />)}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function PhoneChooser({ phone }: { phone: string }) {
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<string>();
  const open = (event: FormEvent) => {
    event.preventDefault();
    const selected = readPhone(typed);
    if (selected)
      void navigate({
        to: '/simulator',
        search: { phone: writtenPeer(selected) },
        resetScroll: false,
      });
    else setError('Tulis nomor ponsel, misalnya 0812-3456-7890.');
  };
  return (
    <Panel title="Pilih ponsel">
      <form
        noValidate
        className={classes('grid align-start gap-8 columns-end', styles['form'])}
        onSubmit={open}
      >
        <HomeTelephoneField
          label="Nomor ponsel mana saja"
          name="phone"
          autoComplete="off"
          value={typed}
          error={error}
          onChange={(digits) => {
            setTyped(digits);
            setError(undefined);
          }}
        />
        <Button type="submit" variant="subtle">
          Buka
        </Button>
      </form>
      <ul className="flex wrap gap-6 mt-12" aria-label="Ponsel yang pernah dibuka">
        {withPhone(rememberedPhones(), phone).map((one) => (
          <li key={one}>
            <Link
              to="/simulator"
              search={{ phone: writtenPeer(one) }}
              resetScroll={false}
              className={classes(
                'inline-flex align-center small muted num no-underline min-h-32 px-12 border rounded-full surface hover',
                styles['one'],
              )}
              aria-current={one === phone ? 'true' : undefined}
            >
              {formatPhone(one)}
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const switches = [
  {
    name: 'offline',
    label: 'Sedang offline',
    help: 'Pesan menunggu sampai ponsel kembali online.',
  },
  { name: 'slow', label: 'Lambat', help: 'Semua terjadi sepuluh kali lebih lama.' },
  { name: 'blocked', label: 'Memblokir pengirim', help: 'Pesan tidak pernah sampai.' },
] as const;

type Name = (typeof switches)[number]['name'];
const flag = (on: boolean) => (on ? '1' : '0');

function Switches({ phone }: { phone: SimulatedPhone }) {
  const client = useQueryClient();
  const { queryKey } = phoneQuery(phone.phone);
  const [turned, setTurned] = useState<Partial<Record<Name, boolean>>>({});
  const turn = useAct(simulatedSwitch, {
    onSuccess: async (after) => {
      // An earlier poll of the phone would revert it on the screen.
      await client.cancelQueries({ queryKey });
      client.setQueryData(queryKey, after);
      setTurned({});
    },
    onError: () => setTurned({}),
  });
  const set = (name: Name, on: boolean) => {
    const next = { ...phone, ...turned, [name]: on };
    setTurned({ ...turned, [name]: on });
    turn.mutate({
      phone: writtenPeer(phone.phone),
      offline: flag(next.offline),
      slow: flag(next.slow),
      blocked: flag(next.blocked),
    });
  };
  return (
    <div>
      {switches.map(({ name, label, help }) => (
        <Checkbox
          key={name}
          label={label}
          help={help}
          checked={turned[name] ?? phone[name]}
          onChange={(event) => set(name, event.target.checked)}
        />
      ))}
      <RefusalAlert error={turn.error} />
    </div>
  );
}

const LOOK_MS = 3_000;
const KEY = ['simulator', 'gateway'] as const;

function Gateway() {
  const isSignedIn = sessionToken() !== '';
  const waiting = useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => {
      const { rows } = await perform(listTopups, { status: 'pending' }, { signal });
      return rows.filter(({ method, simulated }) => method !== 'bank' && simulated);
    },
    enabled: isSignedIn,
    refetchInterval: LOOK_MS,
  });
  const isStranger =
    !isSignedIn || ['not_signed_in', 'not_allowed'].includes(refusalCode(waiting.error) ?? '');
  return (
    <Panel title="Pembayaran simulasi">
      {isStranger ? (
        <EmptyState
          title="Masuk dulu untuk melihat pembayaran akun Anda yang menunggu di sini."
          action={
            <LinkButton to="/auth/login" variant="subtle" size="sm">
              Masuk
            </LinkButton>
          }
        />
      ) : waiting.data ? (
        <Waiting topups={waiting.data} />
      ) : waiting.error ? (
        <WentWrong query={waiting} />
      ) : (
        <div aria-busy="true">
          <Skeleton lines={3} />
        </div>
      )}
    </Panel>
  );
}

function Waiting({ topups }: { topups: readonly Topup[] }) {
  const client = useQueryClient();
  const pay = useAct(simulatedPayment, {
    onSuccess: () => void client.invalidateQueries({ queryKey: KEY }),
    onError: () => void client.invalidateQueries({ queryKey: KEY }),
  });
  return (
    <>
      <p role="status" className="small muted hide-empty">
        {pay.data &&
          !pay.busy &&
          (pay.data.done
            ? 'Hasil pembayaran dikirim ke Kabari.'
            : 'Pembayaran itu sudah tidak ditunggu lagi.')}
      </p>
      <RefusalAlert error={pay.error} />
      {topups.length === 0 ? (
        <EmptyState
          title="Tidak ada pembayaran yang menunggu."
          action={
            <LinkButton to="/saldo" search={{ new: '1' }} variant="subtle" size="sm">
              Isi saldo
            </LinkButton>
          }
        >
          Isi saldo lewat QRIS, virtual account, atau halaman pembayaran tampil di sini.
        </EmptyState>
      ) : (
        <ul className="grid border-t">
          {topups.map((topup) => (
            <Payment
              key={topup.id}
              topup={topup}
              busy={pay.busy}
              onDone={(outcome) => pay.mutate({ topup_id: topup.id, outcome })}
            />
          ))}
        </ul>
      )}
    </>
  );
}

type Outcome = 'pay' | 'expire' | 'deny';

const outcomes: readonly { outcome: Outcome; label: string }[] = [
  { outcome: 'pay', label: 'Bayar' },
  { outcome: 'expire', label: 'Kedaluwarsakan' },
  { outcome: 'deny', label: 'Tolak' },
];

type PaymentProps = { topup: Topup; busy: boolean; onDone: (outcome: Outcome) => void };

const Payment = ({ topup, busy, onDone }: PaymentProps) => (
  <li className="grid gap-4 py-12 border-b">
    <span className="large strong">
      <Money amount={topup.total} />
    </span>
    <span className="small faint break-anywhere">
      {topupMethodLabel[topup.method]} · <span className="num">{topup.id}</span> · sisa{' '}
      <Countdown until={topup.expires_at} ended="habis" />
    </span>
    <div className="flex wrap gap-8 mt-6" role="group" aria-label={`Pembayaran ${topup.id}`}>
      {outcomes.map(({ outcome, label }) => (
        <Button
          key={outcome}
          size="sm"
          variant={outcome === 'pay' ? 'solid' : 'outline'}
          aria-disabled={busy || undefined}
          onClick={() => {
            if (!busy) onDone(outcome);
          }}
        >
          {label}
        </Button>
      ))}
    </div>
  </li>
);
