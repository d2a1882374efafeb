import { expect } from 'vitest';
import { civilDate } from '#contract/base/time.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { orderOf } from './books.ts';
import { BASE } from './cuts.ts';
import { holdLock } from './held-lock.ts';
import type { Person, System } from './system.ts';

/** A statement with one transfer from each of two customers, whose import is stalled. */
export type Statement = {
  payers: readonly { person: Person; total: number }[];
  letGo(): Promise<void>;
  import(): ReturnType<System['ask']>;
};

/** @param stalled the row whose payment stalls, because the test locks that wallet. */
export async function newStatement(system: System, stalled: number): Promise<Statement> {
  const payers = [await payerOf(system), await payerOf(system)];
  const operator = await system.operator();
  const upload = await system.upload(operator, klikBca(system.now(), payers));
  const preview = await system.ask(operator, 'operator_statement_preview', { upload });
  expect(preview).toMatchObject({ code: 1 });
  const fields = { upload, sha256: preview.data.sha256 };
  const start = () => system.ask(operator, 'operator_statement_import', fields);

  const accountId = payers[stalled]?.person.accountId ?? '';
  const lock = await holdLock(
    system.resources.owner,
    (tx) => tx`select from wallets where account_id = ${accountId} for update`,
  );
  const imported = start().catch(() => undefined);
  await lock.stalls('apply_payments');
  for (const [n, { person }] of payers.entries()) {
    expect((await orderOf(system, person)).status).toBe(n < stalled ? 'paid' : 'pending');
  }
  return {
    payers,
    import: start,
    letGo: async () => {
      await lock.release();
      await imported;
    },
  };
}

/** The operator imports the same file again, unless the first import finished after all. */
export async function repeatImport(system: System, statement: Statement): Promise<void> {
  const answer = await waitFor(() => statement.import());
  const isDone = answer.code === 0;
  if (isDone) expect(answer).toMatchObject({ error: { type: 'statement_imported' } });
  for (const { person } of statement.payers) {
    expect((await orderOf(system, person)).status).toBe('paid');
  }
}

async function payerOf(system: System): Promise<Statement['payers'][number]> {
  const person = await system.customer();
  const fields = { amount: String(BASE), method: 'bank' };
  const { code, data } = await system.ask(person, 'topup_create', fields);
  expect(code).toBe(1);
  return { person, total: data.total };
}

function klikBca(now: Date, payers: Statement['payers']): string {
  const [year, month, day] = civilDate(now).split('-');
  let balance = 1_000_000;
  const rows = payers.map(({ total }) => {
    balance += total;
    return `"'${day}/${month}","TRSF E-BANKING CR ANI","'0000","${total}.00","CR","${balance}.00"`;
  });
  return [
    `"Account No.","=","'8800123456"`,
    `"Period","=","01/${month}/${year} - ${day}/${month}/${year}"`,
    '"Date","Description","Branch","Amount","","Balance"',
    ...rows,
    '',
  ].join('\n');
}
