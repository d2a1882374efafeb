import { useQuery, useQueryClient, queryOptions } from '@tanstack/react-query';
import { type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { formatNumber, formatRupiah } from '#contract/base/money.ts';
import {
  createTopup,
  type Topup,
  TOPUP_MAX,
  TOPUP_MIN,
  TOPUP_PRESETS,
  type TopupMethod,
  topupMethodLabel,
  listTopupMethods,
} from '#contract/saldo.ts';
import { fieldsOf, refusalCode, sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { holdPage } from '#web/browser/router/navigation.ts';
import { useForm } from '#web/ui/form/useForm.ts';
import { fieldErrors } from '#web/ui/form/fieldErrors.ts';
import { recentTopupsQuery, topupQuery } from '#web/features/saldo/queries.ts';
import { saldoQuery } from '#web/features/saldo/saldoQuery.ts';
import { type TopupLimit, useTopupLimit } from '#web/features/saldo/topups/limit.ts';
import { LimitReason } from '#web/features/saldo/topups/TopupButton.tsx';
import {
  leastOf,
  selectedOf,
  unfitForAll,
  arranged,
  type Method,
  type MethodGroup,
  unfitFor,
  waitsFor,
  lastMethodOf,
} from '#web/features/saldo/topups/methods.ts';
import styles from '#web/features/saldo/saldo.module.css';
import { classes } from '#web/ui/classes.ts';
import { TopupLines } from '#web/features/saldo/topups/Topups.tsx';
import { messagesFor } from '#web/features/saldo/topups/topups.ts';
import { allTokensQuery } from '#web/api/allTokens.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { AmountField } from '#web/ui/money/CurrencyField.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { ChevronDown, CreditCard, Landmark, QrCode } from 'lucide-react';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { perform } from '#web/api/act.ts';

type Props = {
  /** In rupiah; left out: no proposal. */
  proposed: number | undefined;
  onClose: () => void;
  onMade: (topup: Topup) => void;
};

type Step = 'amount' | 'payment';

/** A new top-up in two steps; at a limit, its reason and the unpaid ones instead. */
export function TopupForm(props: Props) {
  const limit = useTopupLimit();
  const [step, setStep] = useState<Step>('amount');
  // In the second step, a refusal tells it: its own top-up may be the last possible one.
  if (limit !== undefined && step === 'amount')
    return <OpenTopups limit={limit} onClose={props.onClose} />;
  return <Steps {...props} step={step} onStep={setStep} />;
}

function OpenTopups({ limit, onClose }: { limit: TopupLimit; onClose: () => void }) {
  const { data, refetch } = useQuery(recentTopupsQuery);
  const open = data?.filter(({ status }) => status === 'pending' || status === 'creating') ?? [];
  return (
    <Modal
      addressed
      open
      onClose={onClose}
      title="Isi saldo"
      footer={<Button onClick={onClose}>Tutup</Button>}
    >
      <div className="grid gap-16">
        <p>{limit.hasOpen ? limit.reason : <LimitReason limit={limit} />}</p>
        {limit.hasOpen && <TopupLines topups={open} onEnd={() => void refetch()} />}
      </div>
    </Modal>
  );
}

type StepsProps = Props & { step: Step; onStep: (step: Step) => void };

function Steps({ proposed, onClose, onMade, step, onStep }: StepsProps) {
  const id = useId();
  const head = useRef<HTMLHeadingElement>(null);
  const topup = useTopup({ proposed, onMade, onStep });
  const { form, create, selected } = topup;
  const isPayment = step === 'payment';
  useStepFocus(step, form.ref, head);
  const back = () => {
    create.reset();
    form.show({});
    onStep('amount');
  };
  const going = useRef(back);
  useEffect(() => {
    going.current = back;
  });
  useEffect(() => (isPayment ? holdPage(() => going.current()) : undefined), [isPayment]);
  const foot = isPayment ? (
    <PaymentButtons id={id} busy={create.busy} onBack={back} />
  ) : (
    <AmountButtons id={id} onClose={onClose} />
  );
  return (
    <Modal addressed open onClose={onClose} title="Isi saldo" footer={foot}>
      {/* A held Enter must not pass both steps. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <form
        id={id}
        ref={form.ref}
        noValidate
        className={classes('stack content-start gap-12', styles['form'])}
        onKeyDown={(event) => event.key === 'Enter' && event.repeat && event.preventDefault()}
        onSubmit={form.submit(({ amount: typed }) => {
          if (!isPayment) onStep('payment');
          else if (!create.busy)
            create.mutate({ amount: typed, ...(selected && { method: selected }) });
        })}
      >
        <h3 ref={head} tabIndex={-1} className="base strong">
          <span className={classes('small muted', styles['count'])}>
            Langkah {isPayment ? 2 : 1} dari 2
          </span>{' '}
          {isPayment ? 'Cara bayar' : 'Nominal'}
        </h3>
        {isPayment ? (
          <>
            <Refused error={create.error} onClose={onClose} />
            <Payment topup={topup} />
          </>
        ) : (
          <Amount topup={topup} />
        )}
      </form>
    </Modal>
  );
}

const AmountButtons = ({ id, onClose }: { id: string; onClose: () => void }) => (
  <>
    <Button variant="outline" onClick={onClose}>
      Batal
    </Button>
    <Button type="submit" form={id}>
      Pilih cara bayar
    </Button>
  </>
);

const PaymentButtons = (props: { id: string; busy: boolean; onBack: () => void }) => (
  <>
    <Button variant="outline" onClick={props.onBack}>
      Kembali
    </Button>
    <Button
      type="submit"
      form={props.id}
      busy={props.busy}
      // The second click of a double click on the button before it must not order anything.
      onClick={(event) => event.detail > 1 && event.preventDefault()}
    >
      Lanjut ke pembayaran
    </Button>
  </>
);

type StepProps = { topup: ReturnType<typeof useTopup> };

const Amount = ({ topup: { form, offer, amount } }: StepProps) => (
  <div>
    <AmountField
      label="Nominal"
      size="xl"
      required
      step={10_000}
      help={`Minimal ${formatRupiah(leastOf(offer.methods))}${offer.ppn ? ', belum termasuk PPN' : ''}. Boleh ditulis singkat: 50rb atau 1,5jt.`}
      indonesianSuffixes
      quick={TOPUP_PRESETS}
      {...form.field('amount')}
    />
    <p className={classes('mt-12 muted', styles['worth'])} role="status">
      <Worth amount={amount} />
    </p>
  </div>
);

const Payment = ({ topup: { form, offer, amount, selected } }: StepProps) => (
  <>
    <p className={classes('muted', styles['topupFormSum'])}>
      Isi saldo <strong>{formatRupiah(amount ?? 0)}</strong>
      {offer.ppn && ', belum termasuk PPN'}
    </p>
    <Methods
      offer={offer}
      amount={amount}
      selected={selected}
      error={form.errors.method}
      onChange={(method) => form.set('method', method)}
    />
  </>
);

/** The messages an amount pays beyond the plan's quota. Meta's prices depend on the message: they give no count. */
function Worth({ amount = 0 }: { amount: number | undefined }) {
  const { data: saldo } = useQuery(saldoQuery);
  const { data: tokens } = useQuery(allTokensQuery);
  if (!saldo || !tokens) return null;
  if (tokens.length > 0 && tokens.every(({ channel }) => channel === 'cloud')) return null;
  const price = saldo.price_beyond_quota;
  const messages = messagesFor(amount, price);
  if (!messages) return null;
  return (
    <>
      ≈ <strong>{formatNumber(messages)} pesan</strong>, {formatRupiah(price)} per pesan
      {saldo.quota_left > 0 && ' di luar kuota paket'}
    </>
  );
}

function Refused({ error, onClose }: { error: Error | null; onClose: () => void }) {
  const alert = useRef<HTMLDivElement>(null);
  const code = refusalCode(error);
  const isShown =
    error !== null && code !== 'topup_amount_unfit' && Object.keys(fieldsOf(error)).length === 0;
  useEffect(() => {
    // The button is at the bottom, and the error stands above all the payment methods.
    if (isShown) alert.current?.scrollIntoView({ block: 'nearest' });
  }, [isShown]);
  return (
    isShown && (
      <div ref={alert}>
        <Alert visible state="danger" label={sentenceOf(error)}>
          {code === 'topup_too_many' && (
            <Button size="sm" variant="outline" onClick={onClose}>
              Lihat yang menunggu
            </Button>
          )}
        </Alert>
      </div>
    )
  );
}

/** Focuses the first field of another step; on touch devices its heading, because the keyboard would cover the rest. */
function useStepFocus(
  step: Step,
  form: RefObject<HTMLFormElement | null>,
  head: RefObject<HTMLElement | null>,
): void {
  const shown = useRef(step);
  useLayoutEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    const isFine = window.matchMedia('(pointer: fine)').matches;
    const field = form.current?.querySelector<HTMLElement>('[name="amount"], :checked');
    (isFine && field ? field : head.current)?.focus();
  }, [step, form, head]);
}

type Values = { amount: string; method: TopupMethod | '' };

/** The form's values, validated by the act and the methods' limits, and their submission. */
function useTopup({
  proposed,
  onMade,
  onStep,
}: Pick<StepsProps, 'proposed' | 'onMade' | 'onStep'>) {
  const client = useQueryClient();
  const offer = useMethods();
  const { methods = [], last } = offer;
  const first: Values = { amount: fitting(proposed), method: '' };
  const form = useForm(first, ({ amount }) => {
    const wrong = fieldErrors(createTopup, { amount });
    const unfit = unfitForAll(methods, Number(amount));
    return unfit === undefined ? wrong : { amount: unfit, ...wrong };
  });
  const create = useAct(createTopup, {
    onSuccess: (topup) => {
      client.setQueryData(topupQuery(topup.id).queryKey, topup);
      void client.invalidateQueries({ queryKey: recentTopupsQuery.queryKey });
      void client.invalidateQueries({ queryKey: saldoQuery.queryKey });
      onMade(topup);
    },
    onError: (error) => {
      if ('amount' in fieldsOf(error)) onStep('amount');
      form.refuse(error, { topup_amount_unfit: 'method' });
      if (refusalCode(error) === 'topup_too_many')
        void client.invalidateQueries({ queryKey: saldoQuery.queryKey });
    },
  });
  const amount = form.values.amount === '' ? undefined : Number(form.values.amount);
  const picked = form.values.method || undefined;
  return { form, create, offer, amount, selected: selectedOf(methods, { amount, picked, last }) };
}

/** The proposed amount in the field's format; empty if no top-up may have it. */
const fitting = (proposed: number | undefined): string =>
  proposed === undefined ? '' : String(Math.min(TOPUP_MAX, Math.max(TOPUP_MIN, proposed)));

const icons: Partial<Record<TopupMethod, typeof QrCode>> = {
  qris: QrCode,
  snap: CreditCard,
  xendit: CreditCard,
};

const noteOf = ({ method, minutes }: Method): string => {
  const wait = waitsFor(minutes);
  if (method === 'qris') return `Dari aplikasi bank atau dompet digital mana pun, ${wait}`;
  if (method === 'bank') return `Ditambah kode unik sampai Rp\u00A0999, ${wait}`;
  if (method === 'snap' || method === 'xendit') return `Di halaman pembayaran, ${wait}`;
  return `Nomor bayar khusus untuk Anda, ${wait}`;
};

type MethodsProps = {
  offer: Offer;
  amount: number | undefined;
  selected: TopupMethod | undefined;
  error: string | undefined;
  onChange: (method: TopupMethod) => void;
};

/** The payment methods of a top-up. If they cannot be loaded, there is still the bank transfer. */
function Methods({ offer, amount, selected, error, onChange }: MethodsProps) {
  const id = useId();
  if (offer.isPending) {
    return (
      <div className={classes('stack gap-10 min-w-0', styles['methods'])} aria-busy="true">
        <Skeleton height={66} />
        <Skeleton height={118} />
        <Skeleton height={66} />
      </div>
    );
  }
  if (!offer.methods) {
    return (
      <p className="muted">
        Pembayaran lewat transfer bank.{' '}
        <span role="status">Cara lain tidak dapat dimuat: {sentenceOf(offer.error)}</span>{' '}
        <button
          type="button"
          className={classes('link underline', styles['retry'])}
          onClick={() => void offer.refetch()}
        >
          Coba lagi
        </button>
      </p>
    );
  }
  const { last } = offer;
  const { shown, folded } = arranged(offer.methods, last);
  const kinds = { name: id, last, amount, selected, onChange };
  const isFoldedSelected = folded.some(({ methods }) =>
    methods.some(({ method }) => method === selected),
  );
  return (
    <fieldset
      role="radiogroup"
      // After a refusal the form focuses the error.
      tabIndex={-1}
      aria-invalid={error ? true : undefined}
      className={classes('stack gap-10 min-w-0', styles['methods'])}
      aria-describedby={error ? `${id}-error` : undefined}
    >
      <legend className="sr-only">Cara bayar</legend>
      {shown.map((group) => (
        <Kind key={group.title} group={group} {...kinds} />
      ))}
      {folded.length > 0 && (
        <details open={isFoldedSelected}>
          <summary className="row gap-6 w-fit min-h-40 small muted semibold pointer plain-list no-marker">
            Cara bayar lain
            <ChevronDown size={16} className="chevron inherit" />
          </summary>
          <div className={classes('stack gap-10 min-w-0', styles['methods'])}>
            {folded.map((group) => (
              <Kind key={group.title} group={group} {...kinds} />
            ))}
          </div>
        </details>
      )}
      {error && (
        <p id={`${id}-error`} className="small text-danger semibold">
          {error}
        </p>
      )}
    </fieldset>
  );
}

type KindProps = Pick<MethodsProps, 'amount' | 'selected' | 'onChange'> & {
  group: MethodGroup;
  name: string;
  last: TopupMethod | undefined;
};

/** Methods of one kind: a single one, or a row of banks below their common facts. */
function Kind({ group: { title, methods }, last, ...props }: KindProps) {
  const [first, second] = methods;
  if (!first) return null;
  const marks = (
    <>
      {methods.some(({ method }) => method === last) && (
        <span className="tiny text-accent semibold">Terakhir dipakai</span>
      )}
      {first.simulated && (
        <span className={classes('tiny faint', styles['simulated'])}>Pembayaran simulasi</span>
      )}
    </>
  );
  if (!second) {
    const Icon = icons[first.method] ?? Landmark;
    return (
      <label
        htmlFor={`${props.name}-${first.method}`}
        className={classes('option row gap-12', styles['choice'])}
        data-off={unfitFor(first, props.amount) && true}
      >
        <Radio method={first} {...props} />
        <Icon size={20} aria-hidden="true" />
        <span className="grid fill">
          <span className="flex wrap align-baseline strong gap-0 gap-x-10">
            {topupMethodLabel[first.method]}
            {marks}
          </span>
          <Note method={first} amount={props.amount} />
        </span>
      </label>
    );
  }
  return (
    <div
      className={classes('row align-start gap-12 border rounded', styles['kind'])}
      role="group"
      aria-label={title}
    >
      <Landmark size={20} />
      <div className="grid fill">
        <span className="flex wrap align-baseline strong gap-0 gap-x-10">
          {title}
          {marks}
        </span>
        <Note method={first} amount={props.amount} />
        <div className="flex wrap gap-6 mt-8">
          {methods.map((one) => (
            <label
              key={one.method}
              className={classes('option row gap-6 px-8 min-h-40', styles['bank'])}
              data-off={unfitFor(one, props.amount) && true}
            >
              <Radio method={one} {...props} />
              {topupMethodLabel[one.method].replace(/^Virtual account /, '')}
            </label>
          ))}
        </div>
      </div>
    </div>
  );
}

const Note = ({ method, amount }: { method: Method; amount: number | undefined }) => (
  <span className="small muted leading-14">{unfitFor(method, amount) ?? noteOf(method)}</span>
);

type RadioProps = Pick<KindProps, 'name' | 'amount' | 'selected' | 'onChange'> & { method: Method };

function Radio({ method: one, name, amount, selected, onChange }: RadioProps) {
  const isSelected = one.method === selected;
  return (
    <input
      id={`${name}-${one.method}`}
      type="radio"
      name={name}
      value={one.method}
      checked={isSelected}
      disabled={unfitFor(one, amount) !== undefined && !isSelected}
      onChange={() => onChange(one.method)}
    />
  );
}

/** The payment methods, and the last used one, which is known together with them so that nothing moves later. */
function useMethods() {
  const offer = useQuery(methodsQuery);
  const recent = useQuery(recentTopupsQuery);
  return {
    ...offer.data,
    last: lastMethodOf(recent.data ?? []),
    isPending: offer.isPending || recent.isPending,
    error: offer.error,
    refetch: offer.refetch,
  };
}

type Offer = ReturnType<typeof useMethods>;

const methodsQuery = queryOptions({
  queryKey: ['methods'],
  queryFn: ({ signal }) => perform(listTopupMethods, {}, { signal }),
  staleTime: 60_000,
});
