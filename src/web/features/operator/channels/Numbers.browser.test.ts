import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { rupiah } from '#contract/base/money.ts';
import {
  findCustomers,
  getCustomer,
  getCustomerToken,
  type OperatorCustomerDetail,
  type OperatorToken,
} from '#contract/operator/customers.ts';
import {
  type ConnectedNumber,
  listNumbers,
  listProviderAnswers,
} from '#contract/operator/overview.ts';
import { listPlanDetails } from '#contract/operator/books.ts';
import { fakeAct } from '#tests/journeys/support/fake-acts.ts';
import { openAsOperator } from '#tests/journeys/support/operator-page.ts';
import { endedByPhone } from '#tests/support/channels/samples.ts';
import { test } from '#tests/support/gallery.ts';
import { inspectionHere } from '#tests/support/one-look.ts';

const at = new Date('2026-11-24T02:00:00.000Z');
const account = publicId('account', '019ab000-0000-7000-8000-000000000001');

const number: ConnectedNumber = {
  ...endedByPhone(at),
  account_id: account,
  account_name: 'Toko Merpati',
  is_system: false,
  token_id: publicId('token', '019ab000-0000-7000-8000-000000000002'),
  token_name: 'Cabang Timur',
  status: 'disconnected',
  phone: '+62 813-••••-6113',
};

const token: OperatorToken = {
  id: number.token_id,
  name: number.token_name,
  channel: 'web',
  status: 'disconnected',
  phone: '6281355506113',
  key_hint: 'x7Qa',
  sent_today: 0,
  daily_limit: 1_000,
  last_used_at: null,
  created_at: at,
  review: null,
  access: { scopes: [], addresses: [], expires_on: null, key_in_address: false },
  linked_at: null,
  waiting: 0,
};

const sums = { sent: 0, failed: 0 };

const customer: OperatorCustomerDetail = {
  account_id: account,
  name: number.account_name,
  phone: '+62 813-••••-6113',
  available: rupiah(50_000),
  held: rupiah(0),
  status: 'active',
  state: 'active',
  plan: null,
  created_at: at,
  erase_at: null,
  messages: { day: sums, month: sums },
  subscription: null,
  tokens: [token],
  failures: [],
  sessions: [],
  invoices: [],
  suspensions: [],
  bonus_only: false,
  entries: [],
  topups: [],
  freezes: [],
};

test('the operator finds a disconnected number by channel and state, with its owner', async ({
  person,
}) => {
  const tab = await openAsOperator(person, '/operator/kanal', {
    ...fakeAct(listNumbers, ({ channel = 'web', state = 'parted' }) => ({
      list: channel === 'web' && state === 'parted' ? [number] : [],
    })),
    ...fakeAct(listProviderAnswers, () => ({ answers: [] })),
    ...fakeAct(findCustomers, () => ({ list: [{ ...customer, found: null }] })),
    ...fakeAct(listPlanDetails, () => ({ plans: [] })),
    ...fakeAct(getCustomer, () => customer),
    ...fakeAct(getCustomerToken, () => token),
  });
  const { faults, look } = inspectionHere();
  const row = tab.getByRole('row', { name: /Toko Merpati/ });
  await row.getByText('Terputus').waitFor();
  await look(tab, 'numbers of all customers');

  await tab.getByLabel('Kanal', { exact: true }).selectOption('WhatsApp Cloud API');
  await tab.getByText('Data tidak ditemukan').waitFor();
  await tab.getByRole('button', { name: 'Hapus filter' }).first().click();
  await row.waitFor();
  await tab.getByLabel('Kanal', { exact: true }).selectOption('WhatsApp Web');
  await tab.getByLabel('Status', { exact: true }).selectOption('Tersambung');
  await row.waitFor({ state: 'detached' });
  await tab.getByLabel('Status', { exact: true }).selectOption('Terputus');
  await row.waitFor();
  expect(new URL(tab.url()).search).toBe('?channel=web&state=parted');

  await row.getByRole('button').click();
  const drawer = tab.getByRole('dialog', { name: 'Cabang Timur' });
  await drawer.getByText(/^Terputus sejak/).waitFor();
  await drawer.getByText('Ponsel memutus perangkat ini', { exact: false }).waitFor();
  await look(tab, 'a number that was parted, as the operator sees it');
  await drawer.getByRole('link', { name: 'Toko Merpati' }).click();
  await tab.waitForURL((url) => url.pathname === '/operator/pelanggan');
  await tab
    .getByRole('dialog', { name: 'Token' })
    .getByText('Token ini tidak tersambung ke ponsel', { exact: false })
    .waitFor();
  expect(faults).toEqual([]);
});
