import sharp from 'sharp';
import {
  getInvoice,
  invoicePdf,
  listInvoices,
  saveBillingProfile,
  changeSubscription,
  previewSubscription,
} from '#contract/billing.ts';
import { findCustomers } from '#contract/operator/customers.ts';
import { adjustSaldo, runCheck, runReconciliation } from '#contract/operator/books.ts';
import {
  createTopup,
  getTopup,
  uploadTransferProof,
  type Topup,
  type TopupMethod,
} from '#contract/saldo.ts';
import { simulatedPayment, simulatedTransfer } from '#contract/simulator.ts';
import { civilDate } from '#contract/base/time.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import {
  ask,
  askRows,
  type Customer,
  newSender,
  sendTexts,
  signIn,
  signUp,
  topUp,
  uploadSlip,
} from '#tests/journeys/support/portal.ts';
import type { Product } from '#tests/journeys/support/product.ts';

export type OperatorWork = {
  operator: string;
  /** A bakery with a plan, invoices, and unpaid top-ups by QRIS and virtual account. */
  bakery: Customer;
  qris: Topup;
  va: Topup;
  verify: string;
  statement: string;
};

async function gatewayTopup(
  address: string,
  { session }: Customer,
  { amount, method }: { amount: number; method: TopupMethod },
): Promise<Topup> {
  const { id } = await ask(address, createTopup, { amount, method }, session);
  return waitFor(async () => {
    const topup = await ask(address, getTopup, { topup_id: id }, session);
    return topup.status === 'pending' && topup;
  });
}

async function payByGateway(
  address: string,
  who: Customer,
  by: { amount: number; method: TopupMethod },
): Promise<void> {
  const { id } = await gatewayTopup(address, who, by);
  await ask(address, simulatedPayment, { topup_id: id, outcome: 'pay' });
  await waitFor(
    async () => (await ask(address, getTopup, { topup_id: id }, who.session)).status === 'paid',
  );
}

async function buyPlan(address: string, { session }: Customer, plan: string): Promise<void> {
  const { quote } = await ask(address, previewSubscription, { plan }, session);
  await ask(address, changeSubscription, { plan, quote }, session);
}

const slipOf = ({ total }: Topup): Promise<Buffer> => {
  const rows = ['m-BCA', 'm-Transfer', 'BERHASIL', `Rp ${total.toLocaleString('id-ID')}`];
  const text = rows.map((row, index) => `<text x="40" y="${90 + 60 * index}">${row}</text>`);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="360" height="480"><rect width="360" height="480" fill="#eef3fb"/><g font-family="sans-serif" font-size="28" fill="#123a6b">${text.join('')}</g></svg>`;
  return sharp(Buffer.from(svg)).jpeg().toBuffer();
};

function bcaStatement(credits: readonly (readonly [who: string, amount: number])[]): string {
  const [year, month, day] = civilDate(new Date()).split('-');
  let balance = 41_250_000;
  const line = (text: string, amount: number, kind: 'CR' | 'DB') => {
    balance += kind === 'CR' ? amount : -amount;
    return `"'${day}/${month}","${text}","'0000","${amount}.00","${kind}","${balance}.00"`;
  };
  return [
    '"Account No.","=","\'8800123456"',
    `"Period","=","01/${month}/${year} - ${day}/${month}/${year}"`,
    '"Date","Description","Branch","Amount","","Balance"',
    ...credits.map(([who, amount]) => line(`TRSF E-BANKING CR ${who}`, amount, 'CR')),
    line('BIAYA ADM', 6_500, 'DB'),
    '',
  ].join('\n');
}

const shops = [
  ['Kopi Senja Kotabaru', '6281355504011', 100_000],
  ['Laundry Bersih Sejahtera', '6281355504012', 250_000],
  ['Apotek Sehat Bantul', '6281355504013', 1_000_000],
  ['Bengkel Pak Slamet', '6281355504014', 50_000],
] as const;

export async function openOperatorWork({
  address,
  operator: first,
}: Product): Promise<OperatorWork> {
  const { bakery, verify } = await openBakery(address);
  const statement = await createPendingWork(address);
  const operator = await signIn(address, first);
  await propose(address, operator);
  await ask(address, runCheck, {}, operator);
  await ask(address, runReconciliation, {}, operator);
  const qris = await gatewayTopup(address, bakery, { amount: 250_000, method: 'qris' });
  const va = await gatewayTopup(address, bakery, { amount: 1_000_000, method: 'va_bca' });
  return { operator, bakery, qris, va, verify, statement };
}

async function openBakery(address: string): Promise<Pick<OperatorWork, 'bakery' | 'verify'>> {
  const bakery = await signUp(address, { name: 'Toko Kue Melati', phone: '6281355504010' });
  const buyer = {
    name: 'CV Melati Rasa Nusantara',
    npwp: '09.254.294.3-407.000',
    address: 'Jl. Kaliurang Km 5,6 No. 12, Sleman, Yogyakarta 55281',
    email: 'keuangan@melati.example',
  };
  await ask(address, saveBillingProfile, buyer, bakery.session);
  await payByGateway(address, bakery, { amount: 500_000, method: 'qris' });
  await payByGateway(address, bakery, { amount: 250_000, method: 'va_bca' });
  await buyPlan(address, bakery, 'usaha');
  const phone = '6281355504010';
  const sender = await newSender(address, bakery, { name: 'Kasir Toko', phone });
  await sendTexts(address, sender, orders());
  const [plan] = await askRows(address, listInvoices, { kind: 'plan' }, bakery.session);
  if (!plan) throw new Error('The plan has no invoice.');
  const fields = { invoice_id: plan.id };
  await ask(address, invoicePdf, fields, bakery.session);
  const { verify_url } = await ask(address, getInvoice, fields, bakery.session);
  if (verify_url === null) throw new Error('The invoice has no page that verifies it.');
  return { bakery, verify: verify_url };
}

const orders = () =>
  Array.from({ length: 84 }, (_, index) => ({
    to: `62812${String(44_010_001 + 7_919 * index)}`,
    text: `Toko Kue Melati: pesanan kue nomor ${1_204 + index} siap diambil.`,
  }));

/** Shops that wait for their transfers. @returns the statement with some of these. */
async function createPendingWork(address: string): Promise<string> {
  const customers = [];
  for (const [name, phone, amount] of shops) {
    const who = await signUp(address, { name, phone });
    await topUp(address, who, amount);
    customers.push(who);
  }
  const [kopi, laundry, apotek, bengkel] = customers as [Customer, Customer, Customer, Customer];

  // Paid twice: the second payment is still unassigned.
  const twice = await ask(address, createTopup, { amount: 100_000 }, kopi.session);
  const transfer = { amount: twice.total, sender: 'KOPI SENJA' };
  await ask(address, simulatedTransfer, transfer);
  await ask(address, simulatedTransfer, transfer);

  const proven = await topupWithSlip(address, laundry, 400_000);
  await topupWithSlip(address, apotek, 7_500_000);
  await ask(address, createTopup, { amount: 150_000 }, bengkel.session);
  return bcaStatement([
    ['LAUNDRY BERSIH', proven.total],
    ['BUDI SANTOSO', 325_000],
    ['SLAMET BENGKEL', 150_000],
    ['PT MAJU LANCAR JAYA SENTOSA ABADI', 1_750_000],
  ]);
}

async function topupWithSlip(address: string, { session }: Customer, amount: number) {
  const topup = await ask(address, createTopup, { amount }, session);
  const upload = await uploadSlip(address, session, await slipOf(topup));
  return ask(address, uploadTransferProof, { topup_id: topup.id, upload }, session);
}

/** One adjustment that is booked at once, and one that a second operator has to approve. */
async function propose(address: string, operator: string): Promise<void> {
  const [found] = await askRows(address, findCustomers, { q: 'Bengkel' }, operator);
  if (!found) throw new Error('The desk does not find the customer.');
  const same = { account_id: found.account_id, direction: 'add', cause: 'goodwill' } as const;
  const fields = { ...same, amount: 25_000, reason: 'Kompensasi gangguan kemarin' };
  await ask(address, adjustSaldo, fields, operator);
  const large = { amount: 6_000_000, reason: 'Salah catat saat pindah dari sistem lama' };
  await ask(address, adjustSaldo, { ...same, ...large, cause: 'correction' }, operator);
}
