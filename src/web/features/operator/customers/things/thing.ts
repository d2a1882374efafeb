/** A record and its account: public ids, as in the address. */
export type ThingProps = { accountId: string; id: string };
