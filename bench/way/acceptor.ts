import { type Contender, openContender } from '#bench/lib/contender.ts';
import { type Customer, type SendLoad, richCustomers, sendOn } from '#bench/lib/customers.ts';

const WARM_MS = 3_000;
const ACCEPT_MS = Number(process.env['ACCEPT_MS'] ?? 5_000);
/** The same number as the rush and `bench:send`. */
export const CONNECTIONS = 50;

export type Acceptor = Contender & { accept: () => Promise<SendLoad> };

export async function openAcceptor(root: string | undefined, customers: number): Promise<Acceptor> {
  const contender = await openContender({ root, env: { ROLE: 'web' } });
  const all: readonly Customer[] = await richCustomers(
    contender.database.allAccountsSql,
    customers,
  );
  const accept = (forMs: number) => sendOn(contender, all, { connections: CONNECTIONS, forMs });
  await accept(WARM_MS);
  return { ...contender, accept: () => accept(ACCEPT_MS) };
}
