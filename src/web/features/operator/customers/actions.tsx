import { ChevronDown } from 'lucide-react';
import type { ComponentType } from 'react';
import type { OperatorRole } from '#contract/base/act.ts';
import { formatRupiah } from '#contract/base/money.ts';
import { isolated } from '#contract/base/names.ts';
import {
  AdjustCause,
  adjustCauseLabel,
  adjustSaldo,
  payOut,
  refundMessage,
} from '#contract/operator/books.ts';
import {
  type OperatorCustomerDetail,
  endCustomerPlan,
  freezeWallet,
  suspendCustomer,
} from '#contract/operator/customers.ts';
import { approveBonus } from '#contract/operator/payments.ts';
import { useUser } from '#web/api/user.ts';
import { maySee } from '#web/features/operator/operator.ts';
import styles from '#web/features/operator/operator.module.css';
import {
  OperatorForm,
  proposalResult,
  TransferFields,
} from '#web/features/operator/OperatorForm.tsx';
import { AmountField } from '#web/ui/money/CurrencyField.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Dropdown, MenuButton, MenuSeparator } from '#web/ui/menu/Dropdown.tsx';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { Select } from '#web/ui/select/Select.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';

export type Action = 'adjust' | 'refund' | 'payout' | 'freeze' | 'bonus' | 'plan' | 'suspend';

function actionLabel(action: Action, { status, state }: OperatorCustomerDetail): string {
  switch (action) {
    case 'adjust':
      return 'Sesuaikan saldo';
    case 'refund':
      return 'Kembalikan biaya pesan';
    case 'payout':
      return 'Cairkan saldo';
    case 'freeze':
      return status === 'frozen' ? 'Buka pembekuan saldo' : 'Bekukan saldo';
    case 'bonus':
      return 'Izinkan saldo bonus';
    case 'plan':
      return 'Akhiri paket';
    case 'suspend':
      return state === 'suspended' ? 'Aktifkan kembali' : 'Tangguhkan akun';
  }
}

const money: readonly Action[] = ['adjust', 'refund', 'payout', 'freeze', 'bonus', 'plan'];

/** The actions an operator of these roles may take on this customer now: money first. */
function actionsFor(
  customer: OperatorCustomerDetail,
  roles: readonly OperatorRole[],
): { money: readonly Action[]; account: readonly Action[] } {
  const { state, bonus_only, subscription } = customer;
  if (state === 'closed') return { money: [], account: [] };
  const hasPlan = subscription !== null && !subscription.is_free;
  return {
    money: maySee({ roles: ['money'] }, roles)
      ? money.filter((one) => (one === 'bonus' ? bonus_only : one === 'plan' ? hasPlan : true))
      : [],
    account: maySee({ roles: ['support'] }, roles) ? ['suspend'] : [],
  };
}

type MenuProps = { customer: OperatorCustomerDetail; onChoose: (action: Action) => void };

export function ActionMenu({ customer, onChoose }: MenuProps) {
  const actions = actionsFor(customer, useUser().operator_roles);
  if (actions.money.length + actions.account.length === 0) return null;
  const entry = (action: Action) => (
    <MenuButton key={action} onClick={() => onChoose(action)}>
      {actionLabel(action, customer)}
    </MenuButton>
  );
  return (
    <Dropdown
      label="Tindakan untuk pelanggan ini"
      align="end"
      trigger={(props) => (
        <Button {...props} variant="outline">
          Tindakan <ChevronDown size={16} />
        </Button>
      )}
    >
      {actions.money.map(entry)}
      {actions.money.length > 0 && actions.account.length > 0 && <MenuSeparator />}
      {actions.account.map(entry)}
    </Dropdown>
  );
}

type FormProps = { customer: OperatorCustomerDetail; onDone: () => void };

type DrawerProps = { action: Action; customer: OperatorCustomerDetail; onClose: () => void };

export function ActionDrawer({ action, customer, onClose }: DrawerProps) {
  const Form = forms[action];
  return (
    <Drawer open onClose={onClose} title={actionLabel(action, customer)}>
      <Form customer={customer} onDone={onClose} />
    </Drawer>
  );
}

const directions = [
  { value: 'add', label: 'Tambah saldo' },
  { value: 'subtract', label: 'Kurangi saldo' },
];

const causes = AdjustCause().options.map((cause) => ({
  value: cause,
  label: adjustCauseLabel[cause],
}));

type Adjusting = {
  direction: 'add' | 'subtract';
  amount: string;
  cause: AdjustCause;
  reason: string;
};

const adjusting: Adjusting = { direction: 'add', amount: '', cause: 'goodwill', reason: '' };

const AdjustForm = ({ customer, onDone }: FormProps) => (
  <OperatorForm
    act={adjustSaldo}
    initial={adjusting}
    inputOf={(values) => ({ account_id: customer.account_id, ...values })}
    question={({ direction, amount }) => ({
      title: direction === 'add' ? 'Tambah saldo?' : 'Kurangi saldo?',
      text: `Saldo ${isolated(customer.name)} ${direction === 'add' ? 'bertambah' : 'berkurang'} ${formatRupiah(Number(amount))}. Pelanggan melihatnya sebagai mutasi baru. Nominal besar baru dibukukan setelah disetujui operator lain.`,
      button: direction === 'add' ? 'Tambah' : 'Kurangi',
    })}
    said={proposalResult}
    onDone={onDone}
    actions="Lanjut"
  >
    {(form) => (
      <>
        <div className={styles['pair']}>
          <Select label="Arah" options={directions} {...form.field('direction')} />
          <Select label="Dibukukan sebagai" options={causes} {...form.field('cause')} />
        </div>
        <AmountField
          label="Nominal"
          required
          indonesianSuffixes
          help="Nominal besar harus disetujui operator lain."
          {...form.field('amount')}
        />
      </>
    )}
  </OperatorForm>
);

const RefundForm = ({ customer, onDone }: FormProps) => (
  <OperatorForm
    act={refundMessage}
    initial={{ message_id: '', amount: '', reason: '' }}
    inputOf={({ message_id, amount, reason }) => ({
      account_id: customer.account_id,
      message_id: message_id.trim(),
      ...(amount !== '' && { amount }),
      reason,
    })}
    question={({ amount }) => ({
      title: 'Kembalikan biaya pesan ini?',
      text: `${amount === '' ? 'Seluruh biayanya' : formatRupiah(Number(amount))} masuk kembali ke saldo ${isolated(customer.name)}. Satu pesan hanya dapat dikembalikan sekali.`,
      button: 'Kembalikan',
    })}
    said={proposalResult}
    onDone={onDone}
    actions="Lanjut"
  >
    {(form) => (
      <>
        <TextField
          label="Id pesan"
          required
          autoComplete="off"
          help="Pelanggan melihatnya di rincian pesan: msg_…"
          {...form.field('message_id')}
        />
        <AmountField
          label="Nominal"
          help="Kosongkan untuk seluruh biayanya."
          {...form.field('amount')}
        />
      </>
    )}
  </OperatorForm>
);

const PayoutForm = ({ customer, onDone }: FormProps) => (
  <OperatorForm
    act={payOut}
    initial={{ amount: '', reference: '', payee: '', reason: '' }}
    inputOf={(values) => ({ account_id: customer.account_id, ...values })}
    question={({ amount, payee }) => ({
      title: 'Bukukan pencairan ini?',
      text: `Saldo ${isolated(customer.name)} berkurang ${formatRupiah(Number(amount))} untuk transfer ke rekening atas nama ${payee}.`,
      button: 'Bukukan',
    })}
    said={proposalResult}
    onDone={onDone}
    actions="Lanjut"
  >
    {(form) => (
      <>
        <AmountField
          label="Nominal"
          required
          indonesianSuffixes
          help={`Paling banyak saldo yang tersedia: ${formatRupiah(customer.available)}.`}
          {...form.field('amount')}
        />
        <TransferFields form={form} payeeHelp="Harus nama yang sama dengan pelanggan ini." />
      </>
    )}
  </OperatorForm>
);

function FreezeForm({ customer, onDone }: FormProps) {
  const isFrozen = customer.status === 'frozen';
  return (
    <OperatorForm
      act={freezeWallet}
      initial={{ reason: '' }}
      inputOf={({ reason }) => ({
        account_id: customer.account_id,
        becomes: isFrozen ? ('active' as const) : ('frozen' as const),
        reason,
      })}
      question={() => ({
        title: isFrozen ? 'Buka pembekuan saldo?' : 'Bekukan saldo?',
        text: isFrozen
          ? `${isolated(customer.name)} dapat mengirim dan mengisi saldo lagi.`
          : `${isolated(customer.name)} tidak dapat mengirim pesan baru atau mengisi saldo. Pesan yang sudah diterima tetap dikirim.`,
        button: isFrozen ? 'Buka' : 'Bekukan',
        ...(!isFrozen && { tone: 'danger' }),
      })}
      said={({ status }) => (status === 'frozen' ? 'Saldo dibekukan.' : 'Pembekuan dibuka.')}
      onDone={onDone}
      actions={isFrozen ? 'Buka pembekuan' : 'Bekukan saldo'}
      look={{ tone: isFrozen ? 'primary' : 'danger' }}
    >
      <p className="muted">
        {isFrozen
          ? 'Saldo ini sedang dibekukan: tidak ada pesan baru, isi saldo baru, atau pencairan.'
          : 'Pembekuan menghentikan pesan baru, isi saldo baru, dan pencairan. Saldonya tetap.'}
      </p>
    </OperatorForm>
  );
}

/** Lets a customer spend the welcome bonus on any number, before the first payment. */
const BonusForm = ({ customer, onDone }: FormProps) => (
  <OperatorForm
    act={approveBonus}
    initial={{ reason: '' }}
    inputOf={({ reason }) => ({ account_id: customer.account_id, reason })}
    question={() => ({
      title: 'Izinkan untuk semua nomor?',
      text: `${isolated(customer.name)} dapat memakai saldo bonusnya untuk mengirim ke nomor mana pun.`,
      button: 'Izinkan',
    })}
    said="Saldo bonus dapat dipakai untuk semua nomor."
    onDone={onDone}
    actions="Izinkan untuk semua nomor"
  >
    <p className="muted">
      Batas saldo bonus berakhir dengan pembayaran pertama, atau bila Anda mengizinkannya.
    </p>
  </OperatorForm>
);

const planRefunds = [
  { value: 'yes', label: 'Kembalikan ke saldo' },
  { value: 'no', label: 'Tidak dikembalikan' },
];

function EndPlanForm({ customer, onDone }: FormProps) {
  const name = customer.subscription?.name ?? '';
  const isPaid = customer.subscription?.status === 'active';
  const initial: { refund: 'yes' | 'no'; reason: string } = {
    refund: isPaid ? 'yes' : 'no',
    reason: '',
  };
  return (
    <OperatorForm
      act={endCustomerPlan}
      initial={initial}
      inputOf={(values) => ({ account_id: customer.account_id, ...values })}
      question={({ refund }) => ({
        title: `Akhiri paket ${name} sekarang?`,
        text: `${isolated(customer.name)} beralih ke paket gratis sekarang. ${
          refund === 'yes'
            ? 'Harga untuk hari yang tersisa kembali ke saldonya.'
            : 'Tidak ada yang dikembalikan.'
        }`,
        button: 'Akhiri paket',
        tone: 'danger',
      })}
      said={`Paket ${name} diakhiri.`}
      onDone={onDone}
      actions="Akhiri paket"
      look={{ tone: 'danger' }}
    >
      {({ field }) =>
        isPaid ? (
          <Select label="Hari yang tersisa" options={planRefunds} {...field('refund')} />
        ) : (
          <p className="muted">
            Periode ini belum dibayar: tagihannya dibatalkan, dan tidak ada yang dikembalikan.
          </p>
        )
      }
    </OperatorForm>
  );
}

function SuspendForm({ customer, onDone }: FormProps) {
  const isSuspended = customer.state === 'suspended';
  return (
    <OperatorForm
      act={suspendCustomer}
      initial={{ reason: '' }}
      inputOf={({ reason }) => ({
        account_id: customer.account_id,
        becomes: isSuspended ? ('active' as const) : ('suspended' as const),
        reason,
      })}
      question={({ reason }) => ({
        title: isSuspended ? 'Aktifkan kembali akun ini?' : 'Tangguhkan akun ini?',
        text: `${isolated(customer.name)} membaca alasan ini: “${reason}”`,
        button: isSuspended ? 'Aktifkan' : 'Tangguhkan',
        ...(!isSuspended && { tone: 'danger' }),
      })}
      said={({ state }) => (state === 'suspended' ? 'Akun ditangguhkan.' : 'Akun aktif kembali.')}
      onDone={onDone}
      reasonHelp="Pelanggan membaca alasan ini saat masuk dan lewat pesan."
      actions={isSuspended ? 'Aktifkan kembali' : 'Tangguhkan akun'}
      look={{ tone: isSuspended ? 'primary' : 'danger' }}
    >
      <p className="muted">
        {isSuspended
          ? 'Pengiriman berlanjut, juga pesan yang menunggu dan belum kedaluwarsa.'
          : 'Semua sesi berakhir, API menolak pesan baru, dan tidak ada pesan yang dikirim. Pesan yang menunggu tetap tersimpan. Pelanggan masih dapat masuk untuk membaca alasannya dan menghubungi layanan pelanggan.'}
      </p>
    </OperatorForm>
  );
}

const forms: Record<Action, ComponentType<FormProps>> = {
  adjust: AdjustForm,
  refund: RefundForm,
  payout: PayoutForm,
  freeze: FreezeForm,
  bonus: BonusForm,
  plan: EndPlanForm,
  suspend: SuspendForm,
};
