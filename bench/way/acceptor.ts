import { type Contender, openContender } from '#bench/lib/contender.ts';
import { type Customer, type SendLoad, richCustomers, sendOn } from '#bench/lib/customers.ts';

const WARM_MS = 3_000;
const ACCEPT_MS = Number(process.env['ACCEPT_MS'] ?? 5_000);
/** As many as the rush and `bench:send` have. */
export const CONNECTIONS = 50;

/** An application that accepts and does nothing else: what other rates are compared with. */
export type Acceptor = Contender & { accept: () => Promise<SendLoad> };

/** Opens one, warm, with so many customers. */
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
