import { adminPhones, systemAccount, wrongCodesToTell } from '#server/domains/accounts/accounts.ts';
import { queueNotice } from '#server/domains/push/push.ts';
import type { Config } from '#server/infra/config.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

/** Dependencies of an alert to operators. */
export type AlertDeps = {
  allAccountsSql: Sql;
  sendSystemText: (phone: string, text: string, shown?: string, key?: string) => Promise<void>;
  report: (trouble: unknown) => void;
};

/** An alert; one with the same key is sent as a message only once. */
type Alert = { title: string; body: string; tag: string; key: string };

/** Alerts operators in their browsers, and admins by a message of the system token as well. Never throws. */
export async function alertAdmins(
  { allAccountsSql, sendSystemText, report }: AlertDeps,
  { title, body, tag, key }: Alert,
): Promise<void> {
  try {
    await allAccountsSql.begin(async (tx) => {
      const accountId = await systemAccount(tx);
      if (accountId === undefined) return;
      await queueNotice(tx, { accountId, title, body, url: '/operator', tag });
    });
    for (const phone of await adminPhones(allAccountsSql)) {
      await sendSystemText(phone, body, body, `${key}-${phone}`);
    }
  } catch (error) {
    report(error);
  }
}

type GuessingDeps = AlertDeps & {
  config: Pick<Config, 'OTP_WRONG_ALERT'>;
  log: { warn: (facts: object, words: string) => void };
  now: () => Date;
};

/** Alerts admins, at most once an hour, of an hour with more wrong codes than `OTP_WRONG_ALERT`. */
export async function watchWrongCodes(deps: GuessingDeps): Promise<void> {
  const wrong = await wrongCodesToTell(deps.allAccountsSql, deps.config);
  if (wrong === undefined) return;
  deps.log.warn({ count: wrong }, 'many one-time codes were wrong within an hour');
  await alertAdmins(deps, {
    title: 'Banyak kode verifikasi salah',
    body: `${wrong} kode verifikasi salah dalam satu jam terakhir. Mungkin ada yang menebak kode pelanggan Anda: periksa Token sistem dan Audit.`,
    tag: 'wrong-codes',
    key: `wrong-codes-${deps.now().toISOString().slice(0, 13)}`,
  });
}
